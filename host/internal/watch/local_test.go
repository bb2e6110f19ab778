//go:build unix

package watch

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// local is a sandbox that is a folder of this machine.
type local struct {
	t     *testing.T
	root  string
	state string
	shell []string // in place of /bin/sh
	env   []string
}

func newLocal(t *testing.T) *local {
	t.Helper()
	return &local{t: t, root: t.TempDir(), state: t.TempDir(), shell: []string{"/bin/sh"}, env: cleanEnv(t)}
}

// cleanEnv is an environment in which git reads no configuration of this machine.
func cleanEnv(t *testing.T) []string {
	t.Helper()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
}

func (l *local) ID() string { return "local" }
func (l *local) Info() sandbox.Info {
	return sandbox.Info{Root: l.root, StateDir: l.state}
}
func (l *local) Kill(context.Context, string, time.Duration) error { return nil }
func (l *local) Alive(context.Context, string) (sandbox.Liveness, error) {
	return sandbox.AliveUnknown, nil
}

// running is a process with the exit of a sandbox's.
type running struct {
	sandbox.Process
	cmd   *exec.Cmd
	timed atomic.Bool
	over  atomic.Bool
	limit int64
}

func (l *local) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	argv := append(append([]string{}, l.shell...), c.Argv[1:]...)
	p := &running{limit: c.MaxOutput}
	p.cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdin = c.Dir, append(append([]string{}, l.env...), "PWD="+c.Dir), c.Stdin
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second
	p.cmd.Stdout, p.cmd.Stderr = &limited{p, c.Stdout}, c.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	timer := time.AfterFunc(c.Timeout, func() {
		p.timed.Store(true)
		p.kill()
	})
	l.t.Cleanup(func() { timer.Stop() })
	return p, nil
}

func (p *running) kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// limited ends a process that prints more than it may.
type limited struct {
	p  *running
	to interface{ Write([]byte) (int, error) }
}

func (w *limited) Write(b []byte) (int, error) {
	if w.p.limit > 0 {
		if w.p.limit -= int64(len(b)); w.p.limit <= 0 {
			w.p.over.Store(true)
			w.p.kill()
		}
	}
	return w.to.Write(b)
}

func (p *running) Wait(context.Context) (sandbox.Exit, error) {
	_ = p.cmd.Wait()
	e := sandbox.Exit{Code: p.cmd.ProcessState.ExitCode(), Reason: sandbox.ReasonExited}
	switch {
	case p.timed.Load():
		e.Reason = sandbox.ReasonTimedOut
	case p.over.Load():
		e.Reason = sandbox.ReasonOutputLimit
	case e.Code < 0:
		e.Reason = sandbox.ReasonSignaled
	}
	return e, nil
}

func (p *running) Close() error { return nil }

// workspace is the one under test.
func (l *local) workspace() Workspace {
	return Workspace{Sandbox: l, Run: "r", Limits: Limits{Time: 30 * time.Second}}
}

func (l *local) baseline() Baseline {
	l.t.Helper()
	b, err := l.workspace().TakeBaseline(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return b
}

func (l *local) diff(b Baseline) (string, Changes) {
	l.t.Helper()
	var patch bytes.Buffer
	c, err := l.workspace().Diff(l.t.Context(), b, &patch)
	if err != nil {
		l.t.Fatal(err)
	}
	return patch.String(), c
}

// sh runs a script in a folder, as a person or an agent would.
func (l *local) sh(dir, script string) string {
	l.t.Helper()
	out, err := l.try(dir, script)
	if err != nil {
		l.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

func (l *local) try(dir, script string) (string, error) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "sh", "-euc", script)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, l.env...),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// apply applies a patch in a folder.
func (l *local) apply(dir, patch string) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "git", "apply", "-")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, l.env, bytes.NewBufferString(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("git apply: %v\n%s\n%.3000s", err, out, patch)
	}
}

// same fails the test unless two trees hold the same, .git aside.
func same(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(tree(t, want), tree(t, got)); diff != "" {
		t.Errorf("(-the agent's +the patched):\n%.3000s", diff)
	}
}

// tree tells mode, link target and content of each file.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			all[name] = "-> " + target
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		mode := "file "
		if info.Mode()&0o100 != 0 {
			mode = "program "
		}
		all[name] = mode + string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}
