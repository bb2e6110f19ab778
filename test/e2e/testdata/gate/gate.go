package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// gated is the plugin's own New with a gate before and after each call of the
// host. The tests build the plugin with this file laid over it, and stop it at
// the gate that they name, as long as they like.
func gated(ctx context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
	p, err := newProvider(ctx, c, host)
	if err != nil {
		return nil, err
	}
	return gatedProvider{p.(*provider)}, nil
}

// pass notes the call in $SANDLOT_GATE/calls and waits as long as the file hold
// names it.
func pass(call string) {
	dir := os.Getenv("SANDLOT_GATE")
	if dir == "" {
		return
	}
	log, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(log, call)
	_ = log.Close()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for told := false; ; <-tick.C {
		if hold, err := os.ReadFile(filepath.Join(dir, "hold")); err != nil || string(hold) != call {
			return
		}
		if !told {
			told = os.WriteFile(filepath.Join(dir, "held"), fmt.Append(nil, os.Getpid()), 0o600) == nil
		}
	}
}

// around passes the gate before a call and returns the one after it.
func around(call string) func() {
	pass("before " + call)
	return func() { pass("after " + call) }
}

// name is the id of a process, or the name of a file, without what differs from run to run.
func name(proc string) string {
	for _, kind := range []string{"setup-", "exec-", ".sandlot-cp-"} {
		if strings.HasPrefix(proc, kind) {
			return strings.Trim(kind, "-")
		}
	}
	return proc
}

type gatedProvider struct{ *provider }

func (p gatedProvider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	defer around("create")()
	return gate(p.provider.Create(ctx, req))
}

func (p gatedProvider) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	defer around("resume")()
	return gate(p.provider.Resume(ctx, req))
}

func (p gatedProvider) Destroy(ctx context.Context, id string) error {
	defer around("destroy")()
	return p.provider.Destroy(ctx, id)
}

func (p gatedProvider) List(ctx context.Context) ([]sandbox.Summary, error) {
	defer around("list")()
	return p.provider.List(ctx)
}

func gate(sb sandbox.Sandbox, err error) (sandbox.Sandbox, error) {
	if err != nil {
		return nil, err
	}
	return gatedBox{sb.(*box)}, nil
}

type gatedBox struct{ *box }

func (b gatedBox) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	defer around("start " + name(cmd.ID))()
	return b.box.Start(ctx, cmd)
}

func (b gatedBox) Kill(ctx context.Context, proc string, grace time.Duration) error {
	defer around("kill " + name(proc))()
	return b.box.Kill(ctx, proc, grace)
}

func (b gatedBox) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	defer around("alive " + proc)()
	return b.box.Alive(ctx, proc)
}

func (b gatedBox) Files() sandbox.Files { return gatedFiles{b.box.Files()} }

type gatedFiles struct{ sandbox.Files }

func (f gatedFiles) Read(ctx context.Context, file string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	defer around("read " + name(path.Base(file)))()
	return f.Files.Read(ctx, file, opts)
}

func (f gatedFiles) Write(ctx context.Context, file string, r io.Reader, opts sandbox.WriteOptions) error {
	defer around("write " + name(path.Base(file)))()
	return f.Files.Write(ctx, file, r, opts)
}

func (f gatedFiles) Stat(ctx context.Context, file string) (sandbox.FileInfo, error) {
	defer around("stat " + name(path.Base(file)))()
	return f.Files.Stat(ctx, file)
}

func (f gatedFiles) Mkdir(ctx context.Context, file string, mode fs.FileMode) error {
	defer around("mkdir " + name(path.Base(file)))()
	return f.Files.Mkdir(ctx, file, mode)
}

func (f gatedFiles) Remove(ctx context.Context, file string) error {
	defer around("remove " + name(path.Base(file)))()
	return f.Files.Remove(ctx, file)
}

func (f gatedFiles) Push(ctx context.Context, dir string, r io.Reader) error {
	defer around("push")()
	return f.Files.Push(ctx, dir, r)
}

func (f gatedFiles) Pull(ctx context.Context, file string, w io.Writer) error {
	defer around("pull")()
	return f.Files.Pull(ctx, file, w)
}

func (f gatedFiles) Rename(ctx context.Context, from, to string) error {
	defer around("rename")()
	return f.Files.Rename(ctx, from, to)
}
