package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// shell runs a script and gives its output.
func shell(t testing.TB, sb sandbox.Sandbox, cmd sandbox.Command) sandbox.Output {
	t.Helper()
	if cmd.ID == "" {
		cmd.ID = "shell"
	}
	out, err := sandbox.Exec(t.Context(), sb, cmd)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestACommandRunsAsItsUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config config
		user   string
		want   string
	}{
		{"from root, by name", config{}, "ann", "1000:1000:ann:"},
		{"from root, by number and group", config{}, "1234:5678", "1234:5678::"},
		{"from another, without rights", config{User: "1000", CapDrop: []string{"ALL"}}, "root", "0:0:root:"},
		{"from another, by name", config{User: "ann"}, "nobody", "65534:65534:nobody:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, c.config)
			out := shell(t, b, sandbox.Command{User: c.user, Dir: "/", Script: `echo "$(id -u):$(id -g):$USER:" && cd && touch mine && sleep 0`})
			if got := strings.TrimSpace(string(out.Stdout)); got != c.want || !out.Exit.Ok() {
				t.Errorf("%q, want %q; %s, %+v", got, c.want, out.Stderr, out.Exit)
			}
			p, err := b.Start(t.Context(), sandbox.Command{ID: "stays", User: c.user, Dir: "/", Detached: true, Script: "sleep 1000 & sleep 1000"})
			if err != nil {
				t.Fatal(err)
			}
			second, err := openProvider(t, c.config).Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
			if err != nil {
				t.Fatal(err)
			}
			if alive, err := second.Alive(t.Context(), "stays"); alive != sandbox.AliveYes || err != nil {
				t.Errorf("alive: %s, %v", alive, err)
			}
			if err := second.Kill(t.Context(), "stays", 0); err != nil {
				t.Error(err)
			}
			if exit, err := p.Wait(t.Context()); exit.Signal == 0 || err != nil {
				t.Errorf("%+v, %v", exit, err)
			}
			if alive, err := b.Alive(t.Context(), "stays"); alive != sandbox.AliveNo || err != nil {
				t.Errorf("alive: %s, %v", alive, err)
			}
			for _, user := range []string{"nosuch", "ann:nosuch", "../x", "-x"} {
				_, err := b.Start(t.Context(), sandbox.Command{ID: "x", User: user, Script: "true"})
				if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), user) {
					t.Errorf("user %s: %v", user, err)
				}
			}
		})
	}
}
