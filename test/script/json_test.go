//go:build linux

package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// line is what all lines of --json share, and what those of errors and help have.
type line struct {
	Type, Message, Command, Text string
	Code                         int
}

// speaks runs sandlot, whose stdout must be NDJSON that begins with the version and
// ends with a line of that type, which it returns with the exit code.
func speaks(t *testing.T, typ string, args ...string) (line, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(built, "sandlot"), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + cmd.Dir, "SANDLOT_HOME=" + filepath.Join(cmd.Dir, "state"), "LANG=C.UTF-8"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	var all []line
	for text := range strings.Lines(stdout.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Errorf("sandlot %q: %v: %s", args, err, text)
		}
		all = append(all, l)
	}
	if len(all) < 2 || all[0].Type != "version" || all[len(all)-1].Type != typ {
		t.Errorf("sandlot %q: no %s line at the end: %s", args, typ, &stdout)
		return line{}, cmd.ProcessState.ExitCode()
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && stderr.Len() == 0 {
		t.Errorf("sandlot %q: exit code %d, and nothing for people", args, code)
	}
	return all[len(all)-1], cmd.ProcessState.ExitCode()
}

func TestEachVerbSpeaksJSON(t *testing.T) {
	for _, verb := range append(verbs(t, ""), "", "plugin") {
		t.Run("sandlot "+verb, func(t *testing.T) {
			t.Parallel()
			words := strings.FieldsFunc(verb, func(r rune) bool { return r == '-' })
			with := func(args ...string) []string { return append(words[:len(words):len(words)], args...) }

			l, code := speaks(t, "help", with("--json", "--help")...)
			if code != 0 || l.Command != strings.Join(append([]string{"sandlot"}, words...), " ") || !strings.Contains(l.Text, "Usage:") {
				t.Errorf("--help: exit code %d, %+v", code, l)
			}
			for _, wrong := range [][]string{{"--json", "--nonsense"}, {"--nonsense", "--json"}, {"--json", "--log-level", "loud", "1", "2", "3", "4"}} {
				l, code := speaks(t, "error", with(wrong...)...)
				if code == 0 || l.Code != code || l.Message == "" {
					t.Errorf("%q: exit code %d, %+v", wrong, code, l)
				}
			}
		})
	}
}

func TestHelpOfAWordThatIsNoVerbIsAnError(t *testing.T) {
	if l, code := speaks(t, "error", "--json", "help", "rnu"); code != 2 || !strings.Contains(l.Message, "did you mean run") {
		t.Errorf("exit code %d, %+v", code, l)
	}
	if l, code := speaks(t, "help", "--json", "help", "plugin", "list"); code != 0 || l.Command != "sandlot plugin list" {
		t.Errorf("exit code %d, %+v", code, l)
	}
}
