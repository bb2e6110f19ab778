package harnesstest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const (
	pollOutput = 2 * time.Millisecond
	stderrTail = 4 << 10 // bytes of stderr in an Exit
)

// agent is the process of a script. Its output goes to files, as in a sandbox:
// what it leaves running can't hold up its end.
type agent struct {
	script Script
	stdin  *stdin
	out    Outcome

	once     sync.Once
	end      chan struct{} // closed when the agent should end
	canceled bool
	sent     int // bytes of stdout that were sent
	told     int // bytes of stderr that were sent
}

// message reacts to what the harness sends.
func (a *agent) message(p *player, m harness.FromHarness) {
	if in, ok := m.(*harness.Input); ok {
		a.stdin.add(in.Data, in.EOF)
		if in.EOF {
			a.once.Do(func() { close(a.end) })
		}
	}
	if a.script.Cancel != nil && !a.canceled && a.script.Cancel(p.record) {
		a.canceled = true
		a.once.Do(func() { close(a.end) })
		go func() { _ = p.send(&harness.Cancel{}) }() // the receiver must go on receiving
	}
}

// run starts the agent and gives the session what it prints, until it ends.
func (a *agent) run(p *player, l *harness.Launch) error {
	state := a.script.Start.Workspace.StateDir
	stdout, err1 := os.Create(filepath.Join(state, "stdout"))
	stderr, err2 := os.Create(filepath.Join(state, "stderr"))
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("make output files: %w", err)
	}
	defer func() { _, _ = stdout.Close(), stderr.Close() }()

	cmd := exec.Command(l.Argv[0], l.Argv[1:]...)
	cmd.Dir = l.Dir
	if cmd.Dir == "" {
		cmd.Dir = a.script.Start.Workspace.Root
	}
	cmd.Env = environ(l.Env, a.script.Env)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	inGroup(cmd)
	closeInput, err := a.connectStdin(cmd, l)
	if err != nil {
		return err
	}
	defer closeInput()
	if err := cmd.Start(); err != nil {
		a.out.Exit = unstarted(err)
		return p.send(&a.out.Exit)
	}
	defer killGroup(cmd)
	return a.follow(p, cmd)
}

func (a *agent) connectStdin(cmd *exec.Cmd, l *harness.Launch) (func(), error) {
	switch l.Stdin {
	case harness.StdinPrompt:
		path := filepath.Join(a.script.Start.Workspace.StateDir, "prompt")
		if err := os.WriteFile(path, l.Prompt, 0o600); err != nil {
			return nil, fmt.Errorf("write prompt: %w", err)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("open prompt: %w", err)
		}
		cmd.Stdin = f
		return func() { _ = f.Close() }, nil
	case harness.StdinDuplex:
		w, err := cmd.StdinPipe()
		if err != nil {
			return nil, fmt.Errorf("open stdin: %w", err)
		}
		go a.stdin.pump(w)
		return a.stdin.stop, nil
	}
	return func() {}, nil
}

func (a *agent) follow(p *player, cmd *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(pollOutput)
	defer tick.Stop()
	end, over := a.end, make(<-chan time.Time)
	for {
		select {
		case err := <-ended:
			a.out.Exit = exitOf(cmd, err)
			if err := a.drain(p, true); err != nil {
				return err
			}
			a.out.Exit.Stderr = a.out.Stderr[max(0, len(a.out.Stderr)-stderrTail):]
			return p.send(&a.out.Exit)
		case <-tick.C:
			if err := a.drain(p, false); err != nil {
				return err
			}
		case <-end:
			end, over = nil, time.After(a.script.AfterResult)
		case <-over:
			a.out.Killed = true
			killGroup(cmd)
		case <-p.ctx.Done():
			killGroup(cmd)
			return errors.Join(p.ctx.Err(), <-ended)
		}
	}
}

// drain sends what is new; last: also a line without its newline.
func (a *agent) drain(p *player, last bool) error {
	state := a.script.Start.Workspace.StateDir
	var err1, err2 error
	a.out.Stdout, err1 = readMore(filepath.Join(state, "stdout"), a.out.Stdout)
	a.out.Stderr, err2 = readMore(filepath.Join(state, "stderr"), a.out.Stderr)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if a.told < len(a.out.Stderr) {
		if err := p.send(&harness.Stderr{Data: bytes.Clone(a.out.Stderr[a.told:])}); err != nil {
			return err
		}
		a.told = len(a.out.Stderr)
	}
	end := len(a.out.Stdout)
	if !last {
		end = a.sent + bytes.LastIndexByte(a.out.Stdout[a.sent:], '\n') + 1
	}
	for a.sent < end {
		n := batchLen(a.out.Stdout[a.sent:end])
		lines := &harness.Lines{Data: bytes.Clone(a.out.Stdout[a.sent : a.sent+n]), End: int64(a.sent + n)}
		if err := p.send(lines); err != nil {
			return err
		}
		a.sent += n
	}
	return nil
}

func readMore(path string, have []byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return have, fmt.Errorf("read output: %w", err)
	}
	defer func() { _ = f.Close() }()
	more, err := io.ReadAll(io.NewSectionReader(f, int64(len(have)), 1<<40))
	if err != nil {
		return have, fmt.Errorf("read output: %w", err)
	}
	return append(have, more...), nil
}

func environ(sets ...map[string]string) []string {
	env := os.Environ()
	for _, set := range sets {
		for name, value := range set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// unstarted is how a provider reports a program that can't be started.
func unstarted(err error) harness.Exit {
	code := 127
	if errors.Is(err, fs.ErrPermission) {
		code = 126
	}
	return harness.Exit{Code: code, Known: true, Message: fmt.Sprintf("exit code %d", code), Stderr: []byte(err.Error())}
}

func exitOf(cmd *exec.Cmd, err error) harness.Exit {
	if cmd.ProcessState == nil {
		return harness.Exit{Code: -1, Message: fmt.Sprintf("nobody saw how: %v", err)}
	}
	if n := signalOf(cmd.ProcessState); n != 0 {
		return harness.Exit{Code: -1, Signal: n, Known: true, Message: fmt.Sprintf("killed by signal %d", n)}
	}
	code := cmd.ProcessState.ExitCode()
	return harness.Exit{Code: code, Known: true, Message: fmt.Sprintf("exit code %d", code)}
}
