package main

import (
	"context"
	"os/user"
	"runtime"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// box is one sandbox: two folders and a forest of process trees.
type box struct {
	id     string
	info   sandbox.Info
	above  string // the real folder of all sandboxes
	forest *proctree.Forest
	env    environment
	log    hclog.Logger
}

func infoOf(root, home, state string, forest *proctree.Forest) sandbox.Info {
	info := sandbox.Info{
		Root: root, Home: home, StateDir: state,
		OS: runtime.GOOS, Arch: runtime.GOARCH,
		Isolation: sandbox.IsolationNone, HostAddress: "127.0.0.1",
		KillScope: sandbox.KillScope(forest.Scope()), Capabilities: capabilities(),
	}
	if u, err := user.Current(); err == nil {
		info.User = u.Username
	}
	return info
}

// ID is the folder's name with a prefix.
func (b *box) ID() string { return b.id }

// Info doesn't change.
func (b *box) Info() sandbox.Info { return b.info }

// Kill ends a tree that any process of this program started.
func (b *box) Kill(ctx context.Context, proc string, grace time.Duration) error {
	if err := b.forest.Kill(ctx, proc, grace); err != nil {
		return processes.KillError(b.log.With("sandbox", b.id), "kill process "+proc, err)
	}
	return nil
}

// Alive asks the process table.
func (b *box) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	l, err := b.forest.Alive(ctx, proc)
	if err != nil {
		return sandbox.AliveUnknown, processes.Classify("probe process "+proc, err)
	}
	return map[proctree.Liveness]sandbox.Liveness{
		proctree.Yes: sandbox.AliveYes, proctree.No: sandbox.AliveNo, proctree.Unknown: sandbox.AliveUnknown,
	}[l], nil
}
