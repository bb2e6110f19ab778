package providertest

import (
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// The optional interfaces beside Files, where a provider doesn't have them. A
// remote sandbox has the methods of all of them, so they are called as well.

// denied checks that an optional interface of a sandbox isn't there.
func denied[T any](b *bed, capability string, call func(T) error) {
	b.Helper()
	_, err := sandbox.As[T](b.sb)
	b.mustBeUnsupported("ask for it", capability, err)
	if raw, ok := b.sb.(T); ok {
		b.mustBeUnsupported("call it", capability, call(raw))
	}
}

func capPorts(b *bed) {
	if b.sb.Info().Capabilities.Ports {
		_, err := sandbox.As[sandbox.Porter](b.sb)
		b.noError("ask for ports", err)
		return // a group of its own is about it
	}
	denied(b, "ports", func(s sandbox.Porter) error {
		_, err := s.Port(b.ctx, b.suite.opts.Port)
		return err
	})
}

func capSnapshots(b *bed) {
	if b.sb.Info().Capabilities.Snapshots {
		b.snapshots(b.second())
		b.noError("check capabilities", b.sb.Info().Capabilities.Check())
		return // a group of its own is about it
	}
	denied(b, "snapshots", func(s sandbox.Snapshotable) error {
		_, err := s.Snapshot(b.ctx, sandbox.SnapshotRequest{Labels: b.request().Labels})
		return err
	})
	if b.first().Capabilities().Snapshots {
		return
	}
	_, err := sandbox.AsProvider[sandbox.Snapshotter](b.first())
	b.mustBeUnsupported("ask the provider for snapshots", "snapshots", err)
	if raw, ok := b.first().(sandbox.Snapshotter); ok {
		_, err := raw.Snapshots(b.ctx)
		b.mustBeUnsupported("list snapshots", "snapshots", err)
		_, err = raw.Restore(b.ctx, "some", b.requestFor(newKey()))
		b.mustBeUnsupported("restore a snapshot", "snapshots", err)
	}
}

func capFork(b *bed) {
	if b.sb.Info().Capabilities.Forks {
		_, err := sandbox.As[sandbox.Forker](b.sb)
		b.noError("ask for forks", err)
		b.noError("check capabilities", b.sb.Info().Capabilities.Check())
		return // a group of its own is about it
	}
	denied(b, "fork", func(s sandbox.Forker) error {
		_, err := s.Fork(b.ctx, b.requestFor(newKey()))
		return err
	})
}

func capKeep(b *bed) {
	if !b.sb.Info().Capabilities.Keeps {
		denied(b, "keep_alive", func(s sandbox.Keeper) error { return s.KeepAlive(b.ctx, time.Minute) })
		return
	}
	k, err := sandbox.As[sandbox.Keeper](b.sb)
	b.noError("ask for it", err)
	for _, d := range []time.Duration{time.Hour, time.Second} { // the second doesn't shorten what it had
		b.noError("keep alive", k.KeepAlive(b.ctx, d))
	}
	b.mustBe("keep alive for no time", k.KeepAlive(b.ctx, 0), sandbox.Invalid)
	b.sh("true")
}
