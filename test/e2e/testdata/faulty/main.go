// Command faulty is a provider whose sandboxes are files, and which hangs where
// its configuration says so while SANDLOT_FAULT is "on". With "blab" it fails
// there and quotes its token; with "panic" it dies of it at a create. SANDLOT_FAULT also names the steps that come before
// there is a configuration.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

type config struct {
	Hang  string        `hcl:"hang,optional" doc:"Where it hangs, or refuses: configure, list or destroy."`
	Token schema.Secret `hcl:"token,optional" doc:"Any secret."`
}

func main() {
	fault := os.Getenv("SANDLOT_FAULT")
	describing := len(os.Args) > 1 && os.Args[1] == "describe"
	if fault == "describe" && describing || fault == "handshake" && !describing {
		hang()
	}
	sdk.ServeProvider(sdk.Provider[config]{
		Type: "faulty", Version: "0.0.1", Provider: (*provider)(nil), Sandbox: box(""),
		New: func(_ context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
			p := &provider{folder: filepath.Join(host.Home, "faulty")}
			if fault == "blab" {
				p.blabs = fmt.Errorf("the token %q is refused", c.Token.Reveal())
			}
			p.panics = fault == "panic"
			p.token = c.Token.Reveal()
			if fault == "on" || fault == "refuse" {
				p.hang, p.refuses = c.Hang, fault == "refuse"
			}
			if p.hang == "configure" {
				hang()
			}
			return p, os.MkdirAll(p.folder, 0o700)
		},
	})
}

// hang waits for ever, and listens to nobody.
func hang() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	for {
		<-time.After(time.Hour)
	}
}

type provider struct {
	folder, hang string
	refuses      bool  // rather than to hang
	blabs        error // of whatever could hang

	token  string
	panics bool // at the first create
}

func (p *provider) file(id string) string { return filepath.Join(p.folder, id+".json") }

func (p *provider) Create(_ context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if p.panics {
		go p.panic()
		hang()
	}
	s := sandbox.Summary{ID: "faulty-" + req.Key[:16], Labels: req.Labels, State: sandbox.StateStopped, Created: time.Now()}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return box(s.ID), os.WriteFile(p.file(s.ID), data, 0o600)
}

// panic ends the process with the token in its last words, in each way that it
// may stand there.
func (p *provider) panic() {
	half := len(p.token) / 2
	for _, text := range []string{p.token + "\n", fmt.Sprintf("%q %x\n", p.token, p.token), p.token[:half], p.token[half:] + "\n"} {
		_, _ = os.Stderr.WriteString(text)
	}
	panic("the token " + p.token + " is refused")
}

func (p *provider) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	if _, err := os.Stat(p.file(req.ID)); err != nil {
		return nil, sandbox.Errorf(sandbox.Gone, "resume %s: %w", req.ID, err)
	}
	return box(req.ID), nil
}

func (p *provider) Destroy(_ context.Context, id string) error {
	if p.blabs != nil {
		return p.blabs
	}
	if p.hang == "destroy" {
		if p.refuses {
			return sandbox.Errorf(sandbox.Denied, "destroy %s: it is protected", id)
		}
		if err := os.WriteFile(filepath.Join(p.folder, "destroying"), nil, 0o600); err != nil {
			return err
		}
		hang()
	}
	return os.RemoveAll(p.file(id))
}

func (p *provider) List(context.Context) ([]sandbox.Summary, error) {
	if p.blabs != nil {
		return nil, p.blabs
	}
	if p.hang == "list" {
		hang()
	}
	files, err := filepath.Glob(p.file("*"))
	if err != nil {
		return nil, err
	}
	var all []sandbox.Summary
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		s := sandbox.Summary{ID: strings.TrimSuffix(filepath.Base(f), ".json")}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (p *provider) Capabilities() sandbox.Capabilities { return sandbox.Capabilities{} }

// box has no files, so that every run in it fails and leaves it.
type box string

func (b box) ID() string { return string(b) }

func (b box) Info() sandbox.Info {
	return sandbox.Info{Root: "/", Home: "/", StateDir: "/", OS: "linux", Arch: "amd64", Isolation: sandbox.IsolationNone, KillScope: sandbox.KillMark}
}

func (b box) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	return nil, sandbox.Errorf(sandbox.Unsupported, "start: there are no processes")
}

func (b box) Kill(context.Context, string, time.Duration) error { return nil }

func (b box) Alive(context.Context, string) (sandbox.Liveness, error) { return sandbox.AliveNo, nil }
