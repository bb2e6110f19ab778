//go:build linux

package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestClaudeIsNotAlwaysRoot runs it as another user, in a user namespace in which
// our own id has that name: as root Claude Code refuses some of what it does for
// others.
func TestClaudeIsNotAlwaysRoot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		free bool
	}{
		{"fed", false},
		{"not fed", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claude := newClaude(t, modelserver.Script{
				modelserver.Use("Write", map[string]any{"file_path": "notes.txt", "content": "x"}),
				bash(`echo "$UID" && cat notes.txt && touch made`),
				modelserver.Say("done"),
			})
			if c.free {
				claude.free()
			}
			cmd := claude.command(t.Context(), "run", "--json", "--approve", "yes", "Work")
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 1234, HostID: os.Geteuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 1234, HostID: os.Getegid(), Size: 1}},
			}
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\nstdout: %s\nstderr: %s", err, clip(stdout.String()), clip(stderr.String()))
			}
			smooth(t, ran{stdout.String(), stderr.String(), 0}.events(t))
			if got := claude.results(); len(got) != 2 || got[1] != "1234\nx" {
				t.Errorf("the model was told %q", got)
			}
			claude.file("made")
		})
	}
}
