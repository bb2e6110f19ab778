package journal

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shells are those that a sandbox may have as /bin/sh.
var shells = [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}}

type wrapped struct {
	folder string
	code   int
	stderr string // of the wrapper itself
}

// wrap runs an agent, a shell script, under the wrapper.
func wrap(t *testing.T, shell []string, folder string, input Input, script string) wrapped {
	t.Helper()
	args := append(append([]string{}, shell[1:]...), "-c", wrapper, "sandlot", folder, string(input), "sh", "-c", script)
	cmd := exec.CommandContext(t.Context(), shell[0], args...)
	cmd.Stdin = strings.NewReader("from the stream")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("run %v: %v", shell, err)
	}
	return wrapped{folder, cmd.ProcessState.ExitCode(), stderr.String()}
}

func (w wrapped) file(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTheWrapperKeepsOutputAndExitCode(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "in"), []byte("from the file"), 0o600); err != nil {
				t.Fatal(err)
			}
			w := wrap(t, shell, folder, InputPrompt, "cat; echo to stderr >&2; exit 3")
			if got := w.file(t, "out"); got != "from the file" {
				t.Errorf("out: got %q", got)
			}
			if got := w.file(t, "err"); got != "to stderr\n" {
				t.Errorf("err: got %q", got)
			}
			if got := w.file(t, "exit"); got != "3\n" {
				t.Errorf("exit: got %q", got)
			}
			if w.code != 3 {
				t.Errorf("code: got %d", w.code)
			}
			for _, name := range []string{"out", "err", "exit"} {
				info, err := os.Stat(filepath.Join(folder, name))
				if err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
				}
			}
		})
	}
}

func TestTheWrapperGivesTheInputThatWasAskedFor(t *testing.T) {
	want := map[Input]string{InputNone: "", InputDuplex: "from the stream"}
	for _, shell := range shells {
		for input, text := range want {
			t.Run(shell[0]+" "+string(input), func(t *testing.T) {
				if got := wrap(t, shell, t.TempDir(), input, "cat").file(t, "out"); got != text {
					t.Errorf("got %q, want %q", got, text)
				}
			})
		}
	}
}

func TestTheAgentKeepsItsUmaskAndSignals(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			w := wrap(t, shell, t.TempDir(), InputNone, "umask; trap 'echo caught' INT; kill -INT $$; echo after")
			want, err := exec.CommandContext(t.Context(), "sh", "-c", "umask").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := w.file(t, "out"); got != string(want)+"caught\nafter\n" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAKilledAgentLeavesTheShellsCode(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			w := wrap(t, shell, t.TempDir(), InputNone, "kill -KILL $$")
			if got := w.file(t, "exit"); got != "137\n" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestTheWrapperNeedsNothingOfTheAgentsPath(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			program, err := exec.LookPath(shell[0])
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			cmd := exec.CommandContext(t.Context(), program, append(shell[1:], "-c", wrapper, "sandlot", folder, "none", "/bin/sh", "-c", `echo "$PATH"`)...)
			cmd.Env = []string{"PATH=/nowhere"}
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%v: %s", err, out)
			}
			w := wrapped{folder: folder}
			if w.file(t, "out") != "/nowhere\n" || w.file(t, "exit") != "0\n" {
				t.Errorf("out %q, exit %q", w.file(t, "out"), w.file(t, "exit"))
			}
		})
	}
}

func TestASecondWrapperStartsNothing(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			folder := t.TempDir()
			if w := wrap(t, shell, folder, InputNone, "echo started; exit 4"); w.stderr != "" || w.code != 4 {
				t.Errorf("the first: code %d, stderr %q", w.code, w.stderr)
			}
			w := wrap(t, shell, folder, InputNone, "echo started; exit 5")
			if w.code != Taken || !strings.Contains(w.stderr, TakenWords) || w.file(t, "exit") != "4\n" {
				t.Errorf("the second: code %d, stderr %q, exit %q", w.code, w.stderr, w.file(t, "exit"))
			}
			if got := (wrapped{folder: folder}).file(t, "out"); got != "started\n" {
				t.Errorf("out: got %q", got)
			}
		})
	}
}

func TestAJournalThatCannotBeWrittenStartsNothing(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			mark := filepath.Join(t.TempDir(), "mark")
			w := wrap(t, shell, filepath.Join(t.TempDir(), "absent"), InputNone, "touch "+mark)
			if w.code != 125 || !strings.Contains(w.stderr, "cannot write the journal in ") {
				t.Errorf("code %d, stderr %q", w.code, w.stderr)
			}
			if _, err := os.Stat(mark); !os.IsNotExist(err) {
				t.Errorf("the agent was started: %v", err)
			}
		})
	}
}

// TestWhatTheAgentPutsInThePlaceOfItsExitCodeChangesNothing runs agents that
// write an exit of their own, in every form.
func TestWhatTheAgentPutsInThePlaceOfItsExitCodeChangesNothing(t *testing.T) {
	for name, spoil := range map[string]string{
		"an exit code":              "echo 0 >exit",
		"one that isn't moved yet":  "echo 0 >exit.tmp",
		"folders":                   "mkdir -p exit/x exit.tmp/x",
		"pipes":                     "mkfifo exit exit.tmp",
		"links":                     "ln -s ../victim exit; ln -s ../victim exit.tmp",
		"a folder of the same name": "rm -rf started; mkdir -p started/exit",
	} {
		for _, shell := range shells {
			t.Run(shell[0]+", "+name, func(t *testing.T) {
				folder := filepath.Join(t.TempDir(), "journal")
				victim := filepath.Join(filepath.Dir(folder), "victim")
				if err := os.Mkdir(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(victim, []byte("whole"), 0o600); err != nil {
					t.Fatal(err)
				}
				w := wrap(t, shell, folder, InputNone, "cd "+folder+" && "+spoil+"; exit 3")
				info, err := os.Lstat(filepath.Join(folder, "exit"))
				if err != nil || !info.Mode().IsRegular() || w.file(t, "exit") != "3\n" {
					t.Errorf("exit: %v, %v", info, err)
				}
				if data, err := os.ReadFile(victim); err != nil || string(data) != "whole" {
					t.Errorf("what a link named is %q, %v", data, err)
				}
			})
		}
	}
}
