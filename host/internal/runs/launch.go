package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// launched is what a run's row keeps of its agent once it may have started.
type launched struct {
	Stdin harness.Stdin `json:"stdin"`
	Argv  []string      `json:"argv"`
}

// previous is the launch of an earlier attempt; nil if there was none.
func (p *pump) previous() (*launched, error) {
	if len(p.run.Launch) == 0 {
		return nil, nil
	}
	l := &launched{}
	if err := json.Unmarshal(p.run.Launch, l); err != nil {
		return nil, fmt.Errorf("decode launch of the run: %w", err)
	}
	return l, nil
}

// receiveLaunch waits for the harness's Launch and does what it provisions.
func (p *pump) receiveLaunch(ctx context.Context, replay bool) (*harness.Launch, error) {
	wait, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	for {
		m, err := p.host.Recv(wait)
		if err != nil {
			if wait.Err() != nil && ctx.Err() == nil {
				return nil, &endError{harness.ReasonHarnessSilent, "the harness didn't say how to launch the agent within " + silence.String()}
			}
			return nil, harnessLost(err)
		}
		switch m := m.(type) {
		case *harness.Provision:
			if replay {
				continue
			}
			if err := p.provision(ctx, m); err != nil {
				return nil, err
			}
		case *harness.Launch:
			return m, nil
		case *harness.Done: // it can't launch, and says why
			o, err := outcomeOfResult(m.Result)
			if err != nil {
				return nil, err
			}
			return nil, &endError{harness.Reason(o.Reason), o.Message}
		default:
			return nil, &endError{harness.ReasonPluginCrashed, fmt.Sprintf("the harness sent %T before its launch", m)}
		}
	}
}

func (p *pump) provision(ctx context.Context, m *harness.Provision) error {
	for _, w := range m.Warnings {
		p.log.host(ctx, warning(w.Code, w.Text))
	}
	for _, f := range m.Files {
		file := f.Path
		if !path.IsAbs(file) {
			file = path.Join(p.journal.Folder(), file)
		}
		mode := f.Mode
		if mode == 0 {
			mode = 0o600
		}
		if err := p.files().Write(ctx, file, bytes.NewReader(f.Data), sandbox.WriteOptions{Mode: mode}); err != nil {
			return fmt.Errorf("write %s for the agent: %w", file, err)
		}
	}
	return nil
}

func (p *pump) files() sandbox.Files { return p.sandbox.(sandbox.Filer).Files() }

// start starts the agent under the journal's wrapper.
func (p *pump) start(ctx context.Context, l *harness.Launch) error {
	if len(l.Argv) == 0 {
		return &endError{harness.ReasonPluginCrashed, "the harness gave no command line to launch"}
	}
	input, prompt := journal.InputNone, []byte(nil)
	switch l.Stdin {
	case harness.StdinPrompt:
		input, prompt = journal.InputPrompt, append([]byte{}, l.Prompt...)
	case harness.StdinDuplex:
		input = journal.InputDuplex
		if !p.sandbox.Info().Capabilities.WritableStdin {
			return &endError{harness.ReasonBootstrapFailed, fmt.Sprintf(
				"harness %s talks to its agent through stdin, which provider %s doesn't support: take another provider or harness",
				p.record.Spec.Harness.Type, p.record.Spec.Provider.Type)}
		}
	}
	if err := p.journal.Prepare(ctx, prompt); err != nil {
		return err
	}
	env, err := p.env(l)
	if err != nil {
		return err
	}
	if err := p.programs(ctx, l, env); err != nil {
		return err
	}
	note, err := json.Marshal(launched{Stdin: l.Stdin, Argv: l.Argv})
	if err != nil {
		return fmt.Errorf("encode launch: %w", err)
	}
	sent, raw := true, json.RawMessage(note)
	err = p.Store.UpdateRun(ctx, p.run.ID, p.epoch, store.RunUpdate{Launch: &raw, Proc: &p.proc, PromptSent: &sent})
	if err != nil {
		return fmt.Errorf("note launch: %w", err)
	}
	cmd := sandbox.Command{
		ID: p.proc, Argv: p.journal.Argv(input, l.Argv), Dir: l.Dir, Env: env,
		Detached: input != journal.InputDuplex, Stderr: &p.wrapperErr, Stdout: &p.wrapperErr,
	}
	if input == journal.InputDuplex {
		r, w := io.Pipe()
		cmd.Stdin, p.stdin = r, w
	}
	proc, err := p.sandbox.Start(ctx, cmd)
	if err != nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	p.process = proc
	return nil
}

// env is the environment of the agent: workspace, secrets, ours, the launch's.
func (p *pump) env(l *harness.Launch) (map[string]string, error) {
	env, err := workspaceEnv(p.secrets, p.record.Spec.Workspace)
	if err != nil {
		return nil, fmt.Errorf("environment of the agent: %w", err)
	}
	env["SANDLOT_WORKSPACE"] = p.sandbox.Info().Root
	env["SANDLOT_RUN"] = p.run.ID
	maps.Copy(env, l.Env)
	return env, nil
}

// programs looks for what the agent needs before anything is started.
func (p *pump) programs(ctx context.Context, l *harness.Launch, env map[string]string) error {
	for i, prog := range l.Programs {
		var out tail
		proc, err := p.sandbox.Start(ctx, sandbox.Command{
			ID: fmt.Sprintf("which-%d-%s", i, p.run.ID), Dir: l.Dir, Env: env, Stdout: &out, Stderr: &out,
			Argv: []string{"/bin/sh", "-c", `command -v -- "$1" >/dev/null`, "sh", prog.Name}, Timeout: silence,
		})
		if err != nil {
			return fmt.Errorf("look for program %s: %w", prog.Name, err)
		}
		exit, err := proc.Wait(ctx)
		if err != nil {
			return fmt.Errorf("look for program %s: %w", prog.Name, err)
		}
		if exit.Ok() {
			continue
		}
		msg := fmt.Sprintf("the sandbox has no program %q on its PATH", prog.Name)
		if prog.Install != "" {
			msg += "; install it with: " + prog.Install
		}
		return &endError{harness.ReasonCLIMissing, msg}
	}
	return nil
}

// leftovers lists what the agent left running: lines of pid and command.
func (p *pump) leftovers(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	var out tail
	proc, err := p.sandbox.Start(ctx, sandbox.Command{
		ID: "leftovers-" + p.run.ID, Stdout: &out, Timeout: silence,
		Argv: []string{"/bin/sh", "-c", `PATH=/usr/bin:/bin:$PATH
grep -ls "SANDLOT_PROC=$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
	command=$(tr '\000' ' ' <"/proc/$pid/cmdline" 2>/dev/null) && [ -n "$command" ] && echo "$pid $command"
done`, "sh", p.proc},
	})
	if err != nil {
		return nil
	}
	if _, err := proc.Wait(ctx); err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if over := len(t.data) - stderrTail; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.data))
}

// killNow ends the agent's tree while the run is being torn down.
func (p *pump) killNow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
	defer cancel()
	if err := p.sandbox.Kill(ctx, p.proc, killGrace); err != nil {
		p.undead = true
		return fmt.Errorf("kill the agent: %w", err)
	}
	return nil
}

// awaitEnd waits until the agent's process is gone. known is false where
// nobody saw how it ended.
func (p *pump) awaitEnd(ctx context.Context) (exit sandbox.Exit, known bool, err error) {
	if p.process != nil {
		exit, err := p.process.Wait(ctx)
		if err == nil && exit.Reason != sandbox.ReasonUnknown {
			return exit, true, nil
		}
		if ctx.Err() != nil {
			return exit, false, ctx.Err()
		}
	}
	tick := time.NewTicker(alivePoll)
	defer tick.Stop()
	for {
		live, err := p.sandbox.Alive(ctx, p.proc)
		if err != nil {
			return sandbox.Exit{}, false, fmt.Errorf("ask whether the agent lives: %w", err)
		}
		if live == sandbox.AliveNo {
			return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, false, nil
		}
		select {
		case <-ctx.Done():
			return sandbox.Exit{}, false, ctx.Err()
		case <-tick.C:
		}
	}
}

// harnessLost is the end of a session that the harness didn't end itself.
func harnessLost(err error) error {
	if errors.Is(err, sandbox.Unavailable) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the harness plugin ended: %w", errPluginLost, err)
	}
	return &endError{harness.ReasonPluginCrashed, "harness: " + err.Error()}
}
