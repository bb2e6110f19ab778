package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// shown is what a person sees of events, with stdout and stderr in one file.
func shown(t *testing.T, payloads ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seen")
	seen, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	a := &app{world: World{Stdout: seen, Stderr: seen}}
	show := a.renderer(store.Run{})
	for _, p := range payloads {
		if err := show(store.Event{Payload: []byte(p)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// TestAPlanIsShownByItsChanges has an agent that sends its whole plan each time.
func TestAPlanIsShownByItsChanges(t *testing.T) {
	var payloads []string
	for _, entries := range []string{
		`{"content":"look","status":"in_progress"},{"content":"mend","status":"pending"}`,
		`{"content":"look","status":"in_progress"},{"content":"mend","status":"pending"}`,
		`{"content":"look","status":"completed"},{"content":"mend","status":"in_progress"},{"content":"test","status":"pending"}`,
	} {
		payloads = append(payloads, `{"type":"CUSTOM","name":"plan","value":{"entries":[`+entries+`]}}`)
	}
	want := "  ▸ look\n  · mend\n  ✓ look\n  ▸ mend\n  · test\n"
	if diff := cmp.Diff(want, shown(t, payloads...)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}
