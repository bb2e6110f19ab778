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

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/watch"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// launched is what a run's row keeps of its agent once it may have started.
type launched struct {
	Stdin harness.Stdin `json:"stdin"`
	Argv  []string      `json:"argv,omitempty"` // empty: only an agent before it was started, see Anew

	Session string `json:"session,omitempty"` // of the agent, that it resumes; empty: a new one
	Anew    *anew  `json:"anew,omitempty"`    // the agent before it didn't know its session; nil: there was none

	Baseline   *watch.Baseline `json:"baseline,omitempty"`    // what the diff starts from
	NoBaseline string          `json:"no_baseline,omitempty"` // why there is none
}

// begun reports whether the agent itself may have been started, and not only one
// before it.
func (l *launched) begun() bool { return len(l.Argv) > 0 }

// previous is the launch of an earlier attempt; nil if there was none.
func (p *pump) previous() (*launched, error) { return previous(p.run) }

func previous(run store.Run) (*launched, error) {
	if len(run.Launch) == 0 {
		return nil, nil
	}
	l := &launched{}
	if err := json.Unmarshal(run.Launch, l); err != nil {
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
	begin := launched{Stdin: l.Stdin, Argv: l.Argv, Session: p.resumes, Anew: p.before}
	if err := p.noteBaseline(&begin); err != nil {
		return err
	}
	note, err := json.Marshal(begin)
	if err != nil {
		return fmt.Errorf("encode launch: %w", err)
	}
	sent, raw := true, json.RawMessage(note)
	if err := p.update(ctx, store.RunUpdate{Launch: &raw, PromptSent: &sent}); err != nil {
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
	switch {
	case errors.Is(err, sandbox.Conflict) && p.stdin == nil:
		p.resumed = true // an earlier attempt's start, given up for lost, came first
	case errors.Is(err, sandbox.Conflict):
		return p.lostAgent()
	case err != nil:
		return fmt.Errorf("start the agent: %w", err)
	default:
		p.process = proc
	}
	if err := p.update(ctx, store.RunUpdate{Proc: &p.proc}); err != nil {
		return fmt.Errorf("note start: %w", err)
	}
	return nil
}

// wasStarted reports whether an earlier attempt that noted its launch went on to
// start the agent. The mark in the journal alone wouldn't do, since an agent can
// remove it; what is known without the sandbox counts first.
func (p *pump) wasStarted(ctx context.Context) (bool, error) {
	if p.run.Proc != "" {
		return true, nil
	}
	if n, _, err := p.Store.AgentEvents(ctx, p.run.ID); err != nil || n > p.before.events() {
		return err == nil, err
	}
	live, err := p.sandbox.Alive(ctx, p.proc)
	if err != nil {
		return false, fmt.Errorf("ask whether the agent lives: %w", err)
	}
	if live == sandbox.AliveYes {
		return true, nil
	}
	return p.journal.Started(ctx)
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

// harnessLost is the end of a session that the harness didn't end itself.
func harnessLost(err error) error {
	if errors.Is(err, sandbox.Unavailable) || errors.Is(err, io.EOF) {
		return &lostError{fmt.Errorf("the harness plugin ended: %w", err)}
	}
	return &endError{harness.ReasonPluginCrashed, "harness: " + err.Error()}
}
