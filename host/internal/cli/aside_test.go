package cli

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// TestAQuestionStandsAtTheEnd has an agent go on telling while a person is asked.
func TestAQuestionStandsAtTheEnd(t *testing.T) {
	const line = "  allow rm x? [y/n, yr/nr: this run, yt/nt: this thread] "
	end, text := agui.ToolCallEnd{ToolCallID: "2"}, agui.TextMessageContent{MessageID: "1", Delta: "a"}
	for _, c := range []struct {
		name   string
		events []agui.Event
		set    func(*questions)
		want   string
	}{
		{"nothing comes", nil, nil, line},
		{"another call", []agui.Event{agui.ToolCallStart{ToolCallID: "2"}, end}, nil, line + "\n*" + line},
		{"what nobody sees", []agui.Event{agui.ToolCallArgs{ToolCallID: "2", Delta: "{}"}}, nil, line},
		{"a text comes whole before it is put again", []agui.Event{text, text, agui.TextMessageEnd{MessageID: "1"}}, nil, line + "\n***" + line},
		{"the person has typed the answer", []agui.Event{end}, func(q *questions) { q.shown, q.answered = false, "1" }, line + "*"},
		{"the person answers nothing more", []agui.Event{end}, func(q *questions) { q.left = true }, line + "\n*"},
		{"Ctrl-C has ended the line, and nobody is asked any more", []agui.Event{end, agui.RunError{}}, func(q *questions) { q.canceling.Store(true) }, line + "**"},
		{"the run ends", []agui.Event{agui.RunError{}}, nil, line + "\n*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			q := &questions{app: &app{world: World{Stdin: out, Stderr: out}}, open: []question{{"1", "rm x"}}, canceling: new(atomic.Bool)}
			q.prompt()
			if c.set != nil {
				c.set(q)
			}
			for _, e := range c.events {
				q.aside(e)
				if shows(e) {
					if _, err := out.WriteString("*"); err != nil {
						t.Fatal(err)
					}
				}
				q.event(t.Context(), e)
				q.back(e)
			}
			got, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		})
	}
}
