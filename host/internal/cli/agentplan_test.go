package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// TestAPlanIsShownByItsChanges has an agent that sends its whole plan each time.
func TestAPlanIsShownByItsChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stderr")
	stderr, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	a := &app{world: World{Stdout: stderr, Stderr: stderr}}
	show := a.renderer(store.Run{})
	for _, entries := range []string{
		`{"content":"look","status":"in_progress"},{"content":"mend","status":"pending"}`,
		`{"content":"look","status":"in_progress"},{"content":"mend","status":"pending"}`,
		`{"content":"look","status":"completed"},{"content":"mend","status":"in_progress"},{"content":"test","status":"pending"}`,
	} {
		payload := `{"type":"CUSTOM","name":"plan","value":{"entries":[` + entries + `]}}`
		if err := show(store.Event{Payload: []byte(payload)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "  ▸ look\n  · mend\n  ✓ look\n  ▸ mend\n  · test\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}
