//go:build unix

package providertest_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/providertest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// folder is a folder without links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// options opens plugins of one tiny backend, each through wrap.
func options(t *testing.T, wrap func(sandbox.Provider) sandbox.Provider) providertest.Options {
	t.Helper()
	backend := tiny{folder(t), providertest.DefaultOwner}
	t.Cleanup(func() { backend.clear(t) }) // faults may have left sandboxes, and processes in them
	return providertest.Options{
		Kills: 20, Port: declared, Serve: serveScript(t),
		Open: func(context.Context) (*providertest.Plugin, error) {
			return &providertest.Plugin{
				Provider: wrap(backend), Close: func() error { return nil }, PID: os.Getpid(), Promised: &tinyCaps,
			}, nil
		},
	}
}

// clear destroys what is left.
func (t tiny) clear(test *testing.T) {
	test.Helper()
	left, err := t.List(context.Background())
	if err != nil {
		test.Error(err)
	}
	for _, s := range left {
		if err := t.Destroy(context.Background(), s.ID); err != nil {
			test.Errorf("destroy %s: %v", s.ID, err)
		}
	}
}

func TestATinyProviderPasses(t *testing.T) {
	providertest.Run(t, options(t, func(p sandbox.Provider) sandbox.Provider { return p }))
}

func TestATinyProviderPassesAcrossTheWire(t *testing.T) {
	providertest.Run(t, options(t, func(p sandbox.Provider) sandbox.Provider { return plugin.ProviderPipe(t, p) }))
}

// judge runs the cases whose names hold one of the words. They are expected to
// fail, so its clocks are short unless the options say otherwise.
func judge(t *testing.T, o providertest.Options, words ...string) results {
	t.Helper()
	o.Patience, o.Limit, o.Kills = cmp.Or(o.Patience, 2*time.Second), cmp.Or(o.Limit, 15*time.Second), 4
	all := results{failures: map[string][]string{}}
	r := &recorder{t: t, words: words, results: &all}
	r.do(func() { providertest.Run(r, o) })
	if r.failed {
		all.failures["the suite itself"] = r.messages
	}
	if all.ran == 0 {
		t.Fatalf("no case is called %q", words)
	}
	return all
}

// plant starts a process that beats into dir.
func plant(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "while :; do printf . >>planted; sleep 0.01; done")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// slow is a process that takes its time to close.
type slow struct{ sandbox.Process }

func (s *slow) Close() error {
	<-time.After(3 * time.Millisecond)
	return s.Process.Close()
}

// What a plugin tidies up after a process has ended once hit the next process
// of its id.
func TestASlowCloseHitsNoLaterProcess(t *testing.T) {
	o := options(t, func(p sandbox.Provider) sandbox.Provider {
		f := &faulty{Provider: p}
		onStart(func(*faultyBox, *sandbox.Command) func(sandbox.Process) sandbox.Process {
			return func(p sandbox.Process) sandbox.Process { return &slow{p} }
		})(f)
		return plugin.ProviderPipe(t, f)
	})
	o.Patience, o.Limit = time.Minute, 5*time.Minute // the case is to pass, however busy the machine is
	if got := judge(t, o, "an id may be used again"); len(got.failures) > 0 {
		t.Errorf("%.500q", got.failures)
	}
}
