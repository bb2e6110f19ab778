//go:build linux

package e2e

import (
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const canary = "canary-77aa55ee" // what newSecretive's secret is

// archived fails the test unless the run's journal is with the host and not in
// the sandbox.
func (s *stage) archived(run string) {
	s.t.Helper()
	until(s.t, 20*time.Second, "the journal of run "+run+" is archived", func() bool {
		_, copied := os.Stat(filepath.Join(s.home, "runs", run, "journal", "journal.json"))
		_, open := os.Stat(filepath.Join(s.home, "runs", run, "journal", "unremoved"))
		return copied == nil && errors.Is(open, fs.ErrNotExist)
	})
	left, err := filepath.Glob(filepath.Join(s.home, "sandboxes", "*", "state", "runs", run))
	if err != nil || len(left) > 0 {
		s.t.Errorf("the sandbox holds the journal still: %v, %v", left, err)
	}
}

// holds lists the files under the state folder that hold a text.
func (s *stage) holds(text string) []string {
	s.t.Helper()
	var found []string
	err := filepath.WalkDir(s.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := readPacked(path)
		if strings.Contains(string(data), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// readPacked reads a file, unpacked if it is a packed one.
func readPacked(path string) ([]byte, error) {
	if filepath.Ext(path) != ".gz" {
		return os.ReadFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// TestAPrintedSecretIsInNoFileAfterTheRun has the secret printed as it is and in
// base64, whole and in two writes, on both streams, and the run end in each way.
func TestAPrintedSecretIsInNoFileAfterTheRun(t *testing.T) {
	t.Parallel()
	half := base64.StdEncoding.EncodeToString([]byte("x" + canary))
	leak := strings.Join([]string{
		"env TOKEN", "say " + half, "json a" + canary + "b", "stderr " + canary, "stderr " + half,
		"print canary-77", "sleep 0.05", "print aa55ee", "sleep 0.05", "append starts",
	}, "\n")
	// The prompt mustn't hold what is to be found nowhere.
	leak = strings.NewReplacer(
		"say "+half, `run printf 'x%s' "$TOKEN" | base64`,
		"json a"+canary+"b", `run printf '{"text":"a%sb"}\n' "$TOKEN"`,
		"stderr "+canary, `run echo "$TOKEN" >&2`,
		"stderr "+half, `run printf 'x%s' "$TOKEN" | base64 >&2`,
		"print canary-77", `run printf %.9s "$TOKEN"`,
		"print aa55ee", `run printf '%s\n' "${TOKEN#canary-77}"`,
	).Replace(leak)
	for _, c := range []struct {
		name, then string
		end        func(s *stage)
		stays      bool // the agent goes on until end ends it
	}{
		{"completed", "exit 0", func(s *stage) {}, false},
		{"failed", "exit 9", func(s *stage) {}, false},
		{"canceled", "heartbeat beat", func(s *stage) { s.run("cancel", "r").want(s.t, 0) }, true},
		{"canceled after its driver died", "heartbeat beat", func(s *stage) {
			s.killDriver("r")
			s.pluginsGone()
			s.run("cancel", "r").want(s.t, 0)
		}, true},
		{"failed by the death of its driver and then completed", "sleep 1", func(s *stage) {
			s.killDriver("r")
			s.pluginsGone()
			s.run("attach", "r").want(s.t, 0)
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSecretive(t)
			s.run("run", "--detach", "--run-id", "r", "--log-level", "debug", leak+"\n"+c.then).want(t, 0)
			until(t, 20*time.Second, "the agent has printed all", func() bool {
				found, err := filepath.Glob(filepath.Join(s.home, "sandboxes", "*", "root", "starts"))
				return err == nil && len(found) == 1 && size(found[0]) > 0
			})
			c.end(s)
			s.archived("r")
			until(t, 10*time.Second, "its driver is gone", func() bool { return len(s.named("drive r")) == 0 })
			for _, text := range []string{canary, half, base64.StdEncoding.EncodeToString([]byte(canary))[:16], "aa55ee"} {
				if found := s.holds(text); len(found) > 0 {
					t.Errorf("%q is in %v", text, found)
				}
			}
			for flag, want := range map[string]string{"--stderr=false": "***\n", "--stderr": "***\n"} {
				out := s.run("logs", "r", flag).want(t, 0).stdout
				if !strings.Contains(out, want) || strings.Contains(out, canary) {
					t.Errorf("logs %s shows %q", flag, out)
				}
			}
		})
	}
}

// blockArchive puts a file where the copy of a run's journal is to be.
func (s *stage) blockArchive(run string) (blocker string) {
	s.t.Helper()
	blocker = filepath.Join(s.home, "runs", run, "journal")
	if err := os.MkdirAll(filepath.Dir(blocker), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return blocker
}

// TestAJournalThatCouldNotBeCopiedIsCopiedLater breaks the host's folder, as a
// driver that dies after the end of a run would leave its work undone.
func TestAJournalThatCouldNotBeCopiedIsCopiedLater(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"attach", "runs", "logs"} {
		t.Run("by "+verb, func(t *testing.T) {
			s := newMinimal(t)
			blocker := s.blockArchive("r")
			s.run("run", "--run-id", "r", "say hello").want(t, 0)
			if out := s.run("logs", "r").want(t, 0).stdout; out != "hello\n" { // from the sandbox
				t.Errorf("logs shows %q", out)
			}
			if err := os.Remove(blocker); err != nil {
				t.Fatal(err)
			}
			args := []string{verb, "r"}
			if verb == "runs" {
				args = args[:1]
			}
			s.run(args...).want(t, 0)
			s.archived("r")
			if out := s.run("logs", "r").want(t, 0).stdout; out != "hello\n" {
				t.Errorf("logs shows %q", out)
			}
		})
	}
}

func TestAJournalOutlivesItsSandbox(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(s *stage)
	}{
		{"one of this run alone", func(s *stage) {
			s.edit("\n}\n", "\n  lifecycle { reuse = \"none\" }\n}\n")
			s.run("run", "--run-id", "r", "say hello").want(s.t, 0)
		}},
		{"one that is destroyed when its run is canceled without a driver", func(s *stage) {
			s.edit("\n}\n", "\n  lifecycle { on_cancel = \"destroy\" }\n}\n")
			s.orphan("say hello\nheartbeat beat")
			s.run("cancel", "r").want(s.t, 0)
		}},
		{"one that is destroyed later", func(s *stage) {
			s.run("run", "--run-id", "r", "say hello").want(s.t, 0)
			s.run("destroy", "minimal").want(s.t, 0)
		}},
		{"one that is destroyed before the journal was archived", func(s *stage) {
			blocker := s.blockArchive("r")
			s.run("run", "--run-id", "r", "say hello").want(s.t, 0)
			if err := os.Remove(blocker); err != nil {
				s.t.Fatal(err)
			}
			s.run("destroy", "minimal").want(s.t, 0)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newMinimal(t)
			c.end(s)
			until(t, 10*time.Second, "the sandbox is gone", func() bool { return len(s.roots()) == 0 })
			if out := s.run("logs", "r").want(t, 0).stdout; out != "hello\n" {
				t.Errorf("logs shows %q", out)
			}
		})
	}
}

func TestLogsOfALiveRunComeFromItsSandbox(t *testing.T) {
	t.Parallel()
	s := newSecretive(t)
	s.run("run", "--detach", "--run-id", "r", "say hello\nenv TOKEN\nappend starts\nheartbeat beat").want(t, 0)
	until(t, 10*time.Second, "the agent has printed", func() bool {
		found, err := filepath.Glob(filepath.Join(s.home, "sandboxes", "*", "root", "beat"))
		return err == nil && len(found) == 1
	})
	if out := s.run("logs", "r").want(t, 0).stdout; out != "hello\n***\n" {
		t.Errorf("logs shows %q", out)
	}
	if out := s.run("logs", "--stdin", "r").want(t, 0).stdout; !strings.HasPrefix(out, "say hello\n") {
		t.Errorf("logs --stdin shows %q", out)
	}
	full := s.env
	s.without("HOST_TOKEN")
	if r := s.run("logs", "r").want(t, 1); r.stdout != "" || !strings.Contains(r.stderr, "HOST_TOKEN") {
		t.Errorf("without the secret logs says %q, %q", r.stdout, r.stderr)
	}
	s.env = full
	s.run("cancel", "r").want(t, 0)
}

// TestARunThatNeverStartedLeavesNoPrompt has a sandbox without the agent's
// program.
func TestARunThatNeverStartedLeavesNoPrompt(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit(`["sandlot-demo-agent"]`, `["no-such-agent"]`)
	s.run("run", "--run-id", "r", "say hello").want(t, 3)
	s.archived("r")
	if r := s.run("logs", "r").want(t, 1); !strings.Contains(r.stderr, "run r has no output: its agent was never started") {
		t.Errorf("logs says %q", r.stderr)
	}
}

// TestAJournalWithALinkAndAPipeInItIsCopiedWithoutThem has an agent that wants
// the host to read somebody else's file, or to wait for ever.
func TestAJournalWithALinkAndAPipeInItIsCopiedWithoutThem(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--run-id", "r", strings.Join([]string{
		"say hello", `run cd "$SANDLOT_WORKSPACE"/../state/runs/r`,
		"run rm err && mkfifo err", "run rm in && ln -s ../../owner.json in",
	}, "\n")).want(t, 0)
	s.archived("r")
	if out := s.run("logs", "r").want(t, 0).stdout; out != "hello\n" {
		t.Errorf("logs shows %q", out)
	}
	for flag, want := range map[string]string{"--stderr": "replaced by a pipe", "--stdin": "replaced by a link"} {
		if r := s.run("logs", flag, "r").want(t, 1); !strings.Contains(r.stderr, want) || r.stdout != "" {
			t.Errorf("logs %s says %q, %q", flag, r.stdout, r.stderr)
		}
	}
	if found, err := filepath.Glob(filepath.Join(s.home, "sandboxes", "*", "state", "owner.json")); err != nil || len(found) != 1 {
		t.Errorf("what the link led to: %v, %v", found, err)
	}
}
