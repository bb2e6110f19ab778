//go:build unix

package providertest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func (f *faulty) Restore(ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if f.restore != nil {
		return f.restore(ctx, id, req)
	}
	return f.wrap(f.Provider.(tiny).Restore(ctx, id, req))
}

func (f *faulty) Snapshots(ctx context.Context) ([]sandbox.Snapshot, error) {
	if f.snapshots != nil {
		return f.snapshots(ctx)
	}
	return f.Provider.(tiny).Snapshots(ctx)
}

func (f *faulty) DeleteSnapshot(ctx context.Context, id string) error {
	if f.unsnap != nil {
		return f.unsnap(ctx, id)
	}
	return f.Provider.(tiny).DeleteSnapshot(ctx, id)
}

func (b *faultyBox) tiny() *tinyBox { return b.Sandbox.(*tinyBox) }

func (b *faultyBox) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	if b.snapshot != nil {
		return b.snapshot(ctx, req)
	}
	return b.tiny().Snapshot(ctx, req)
}

func (b *faultyBox) Fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if b.fork != nil {
		return b.fork(ctx, req)
	}
	return b.tiny().Fork(ctx, req)
}

func (b *faultyBox) Port(ctx context.Context, port int) (sandbox.Port, error) {
	if b.port != nil {
		return b.port(ctx, port)
	}
	return b.tiny().Port(ctx, port)
}

func (b *faultyBox) KeepAlive(ctx context.Context, d time.Duration) error {
	if b.keep != nil {
		return b.keep(ctx, d)
	}
	return b.tiny().KeepAlive(ctx, d)
}

func onBox(change func(b *faultyBox)) func(f *faulty) {
	return func(f *faulty) { f.box = change }
}

// afterSnapshot makes a fault that spoils the folder of a snapshot.
func afterSnapshot(spoil func(b *tinyBox, dir string) error) func(f *faulty) {
	return onBox(func(b *faultyBox) {
		b.snapshot = func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
			snap, err := b.tiny().Snapshot(ctx, req)
			if err == nil {
				err = spoil(b.tiny(), filepath.Join(filepath.Dir(b.tiny().base), snap.ID))
			}
			return snap, err
		}
	})
}

// onRestore makes a fault that changes a request, or what comes of it.
func onRestore(change func(f *faulty, ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error)) func(f *faulty) {
	return func(f *faulty) {
		f.restore = func(ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			return change(f, ctx, id, req)
		}
	}
}

func onFork(change func(b *tinyBox, ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error)) func(f *faulty) {
	return onBox(func(b *faultyBox) {
		b.fork = func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			return change(b.tiny(), ctx, req)
		}
	})
}

// freezing lets no process of a sandbox run while it copies that, until those of
// others have printed enough for the suite to tell.
func freezing() func(f *faulty) {
	var printed atomic.Int64 // pieces of output, of all sandboxes
	return onBox(func(b *faultyBox) {
		var pids sync.Map
		b.start = func(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
			if to := cmd.Stdout; to != nil {
				cmd.Stdout = writerFunc(func(p []byte) {
					printed.Add(1)
					_, _ = to.Write(p)
				})
			}
			p, err := b.Sandbox.Start(ctx, cmd)
			if err == nil {
				pids.Store(p.PID(), true)
			}
			return p, err
		}
		signal := func(s syscall.Signal) {
			pids.Range(func(pid, _ any) bool {
				_ = syscall.Kill(pid.(int), s)
				return true
			})
		}
		freeze := func(ctx context.Context) (thaw func()) {
			signal(syscall.SIGSTOP)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for begin := printed.Load(); ctx.Err() == nil && printed.Load() < begin+60; {
				<-tick.C
			}
			return func() { signal(syscall.SIGCONT) }
		}
		b.snapshot = func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
			defer freeze(ctx)()
			return b.tiny().Snapshot(ctx, req)
		}
		b.fork = func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			defer freeze(ctx)()
			return b.tiny().Fork(ctx, req)
		}
	})
}

// oneAtATime refuses a snapshot while there is another, and waits for that to be
// so.
func oneAtATime() func(f *faulty) {
	var running atomic.Int64
	second := make(chan struct{})
	return onBox(func(b *faultyBox) {
		b.snapshot = func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
			if running.Add(1) == 2 {
				close(second)
				return sandbox.Snapshot{}, sandbox.Errorf(sandbox.Conflict, "there is another")
			}
			select {
			case <-second:
			case <-ctx.Done():
			}
			return b.tiny().Snapshot(ctx, req)
		}
	})
}

func copyFaults() []fault {
	const files, outlives = "has the files of then", "a snapshot outlives its source"
	return []fault{
		{"late: a snapshot lacks what wasn't on the disk yet", afterSnapshot(func(_ *tinyBox, dir string) error {
			return os.Truncate(filepath.Join(dir, "root", "big"), 1<<20)
		}), []string{files, "two snapshots at once"}},
		{"plain: a snapshot forgets modes", afterSnapshot(func(_ *tinyBox, dir string) error {
			return filepath.WalkDir(filepath.Join(dir, "root"), func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					err = os.Chmod(path, 0o755)
				}
				return err
			})
		}), []string{files}},
		{"telling: a restore has the state folder too", onRestore(func(f *faulty, ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			sb, err := f.Provider.(tiny).Restore(ctx, id, req)
			if err == nil {
				err = os.WriteFile(filepath.Join(sb.Info().StateDir, "prompt"), nil, 0o600)
			}
			return sb, err
		}), []string{files}},
		{"bound: snapshots go with a sandbox", func(f *faulty) {
			f.destroy = func(ctx context.Context, id string) error {
				all, err := f.Provider.(tiny).Snapshots(ctx)
				for _, s := range all {
					err = errors.Join(err, f.Provider.(tiny).DeleteSnapshot(ctx, s.ID))
				}
				return errors.Join(err, f.Provider.Destroy(ctx, id))
			}
		}, []string{outlives}},
		{"bare: a restore drops the environment", onRestore(func(f *faulty, ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			req.Env = nil
			return f.Provider.(tiny).Restore(ctx, id, req)
		}), []string{"a restored sandbox is what"}},
		{"open: a restore drops the decision on the network", onRestore(func(f *faulty, ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			req.Network = sandbox.Network{}
			return f.Provider.(tiny).Restore(ctx, id, req)
		}), []string{"a restored sandbox is what"}},
		{"busy: there is one snapshot at a time", oneAtATime(), []string{"two snapshots at once"}},
		{"nameless: labels of snapshots are lost", func(f *faulty) {
			f.snapshots = func(ctx context.Context) ([]sandbox.Snapshot, error) {
				all, err := f.Provider.(tiny).Snapshots(ctx)
				for i := range all {
					all[i].Label = ""
				}
				return all, err
			}
		}, []string{"a snapshot is listed"}},
		{
			"lazy: no snapshot is deleted", func(f *faulty) { f.unsnap = func(context.Context, string) error { return nil } },
			[]string{"a snapshot is listed", "the suite itself"},
		},
		{"inventive: what is no snapshot is an empty one", onRestore(func(f *faulty, ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			sb, err := f.Provider.(tiny).Restore(ctx, id, req)
			if errors.Is(err, sandbox.NotFound) {
				return f.Provider.Create(ctx, req)
			}
			return sb, err
		}), []string{"what is no snapshot", "a snapshot is listed"}},
		{"freezing: a copy pauses what runs", freezing(), []string{"a snapshot does to what runs", "a fork does to what runs"}},
		{"ending: a snapshot ends what runs", onBox(func(b *faultyBox) {
			b.snapshot = func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
				return sandbox.Snapshot{}, errors.Join(b.tiny().forest.Close(ctx, 0), ctx.Err())
			}
		}), []string{"a snapshot does to what runs"}},
		{"stubborn: a canceled snapshot is finished", onBox(func(b *faultyBox) {
			b.snapshot = func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
				snap, err := b.tiny().Snapshot(context.WithoutCancel(ctx), req)
				return snap, errors.Join(err, ctx.Err())
			}
		}), []string{"that say they were canceled"}},
		{"stubborn: a canceled restore is finished", onRestore(func(f *faulty, ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			sb, err := f.Provider.(tiny).Restore(context.WithoutCancel(ctx), id, req)
			return sb, errors.Join(err, ctx.Err())
		}), []string{"that say they were canceled"}},
		{"stubborn: a canceled fork is finished", onFork(func(b *tinyBox, ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			sb, err := b.Fork(context.WithoutCancel(ctx), req)
			return sb, errors.Join(err, ctx.Err())
		}), []string{"a fork that says it was canceled"}},
		{"sharing: a fork has a file in common with its source", onFork(func(b *tinyBox, ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			sb, err := b.Fork(ctx, req)
			if err == nil {
				file := filepath.Join(sb.Info().Root, "file")
				err = errors.Join(os.Remove(file), os.Link(filepath.Join(b.base, "root", "file"), file))
			}
			return sb, err
		}), []string{"is apart from its source"}},
		{"prolific: each fork is another", onFork(func(b *tinyBox, ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
			req.Key = freshKey()
			return b.Fork(ctx, req)
		}), []string{"a fork is what its request says"}},
	}
}

func portFaults() []fault {
	return []fault{
		{"astray: a URL leads nowhere", onBox(func(b *faultyBox) {
			b.port = func(_ context.Context, port int) (sandbox.Port, error) {
				return sandbox.Port{URL: "http://127.0.0.1:1"}, nil
			}
		}), []string{"is reached by its URL", "isn't open any more", "what can be no port"}},
		{"curt: nobody is told how to declare a port", onBox(func(b *faultyBox) {
			b.port = func(ctx context.Context, port int) (sandbox.Port, error) {
				found, err := b.tiny().Port(ctx, port)
				if e, ok := errors.AsType[*sandbox.Error](err); ok {
					e.Hint = ""
				}
				return found, err
			}
		}), []string{"isn't open any more"}},
		{"shy: what there is is denied", func(f *faulty) {
			less := func(c *sandbox.Capabilities) { c.Ports, c.Snapshots, c.Forks, c.Keeps = false, false, false, false }
			f.caps = less
			f.box = func(b *faultyBox) { b.info = func(i *sandbox.Info) { less(&i.Capabilities) } }
		}, []string{"ports is", "snapshots is", "fork is", "keep_alive is"}},
		{"idle: nothing is kept alive", onBox(func(b *faultyBox) {
			b.keep = func(context.Context, time.Duration) error { return sandbox.Errorf(sandbox.Internal, "keep: not now") }
		}), []string{"keep_alive is"}},
	}
}
