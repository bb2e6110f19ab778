//go:build unix

package providertest_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/providertest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// fault is one mistake, named for what it does, and the cases that see it.
type fault struct {
	name  string
	plant func(f *faulty)
	seen  []string
}

func processFaults() []fault {
	pids := &leaders{}
	return []fault{
		{"leaking: Kill does nothing", func(f *faulty) {
			f.box = func(b *faultyBox) { b.kill = func(context.Context, string, time.Duration) error { return nil } }
		}, []string{"Kill reaches", "trees killed at random moments", "Kill ends what a process left", "a detached process outlives Close"}},
		{"sparing: Kill reaches the leader alone", pids.fault, []string{"Kill reaches", "trees killed at random moments"}},
		{"rough: Kill has no patience", func(f *faulty) {
			f.box = func(b *faultyBox) {
				b.kill = func(ctx context.Context, proc string, _ time.Duration) error { return b.Sandbox.Kill(ctx, proc, 0) }
			}
		}, []string{"Kill sends TERM first"}},
		{"littering: Kill leaves a file", func(f *faulty) {
			f.box = func(b *faultyBox) {
				b.kill = func(ctx context.Context, proc string, grace time.Duration) error {
					return errors.Join(b.Sandbox.Kill(ctx, proc, grace),
						os.WriteFile(filepath.Join(b.Sandbox.Info().StateDir, proc+".killed"), nil, 0o600))
				}
			}
		}, []string{"trees killed at random moments"}},
		{"hopeful: everything is alive", func(f *faulty) {
			f.box = func(b *faultyBox) {
				b.alive = func(context.Context, string) (sandbox.Liveness, error) { return sandbox.AliveYes, nil }
			}
		}, []string{"Alive of an id", "Alive tells", "Kill reaches"}},
		{
			"lying: every exit is 0", changeExit(func(e *sandbox.Exit) { *e = sandbox.Exit{Reason: sandbox.ReasonExited} }),
			[]string{"exit 3 is", "exit 255 is", "kill -KILL $$ is", "KILL from outside", "isn't there is 127", "a timeout kills"},
		},
		{"shelling: a signal is 128 and more", changeExit(func(e *sandbox.Exit) {
			if e.Signal > 0 {
				*e = sandbox.Exit{Code: 128 + e.Signal, Reason: sandbox.ReasonExited}
			}
		}), []string{"kill -TERM $$ is", "kill -KILL $$ is", "KILL from outside"}},
		{
			"merging: stderr comes as stdout", changeCommand(func(c *sandbox.Command) { c.Stderr = c.Stdout }),
			[]string{"kept apart", "1 MiB of random"},
		},
		{"truncating: only the first 64 KiB of output come", changeCommand(func(c *sandbox.Command) {
			if to, left := c.Stdout, 64<<10; to != nil {
				c.Stdout = writerFunc(func(p []byte) {
					n := min(left, len(p))
					left -= n
					_, _ = to.Write(p[:n])
				})
			}
		}), []string{"1 MiB of random", "a line of 32 MiB", "1,000,000 lines", "10 MiB go through"}},
		{"textual: output is taken for UTF-8", changeCommand(func(c *sandbox.Command) {
			if to := c.Stdout; to != nil {
				c.Stdout = writerFunc(func(p []byte) { _, _ = to.Write(recoded(p)) })
			}
		}), []string{"1 MiB of random", "3 bytes survives"}},
		{"hoarding: a slow reader costs memory", changeCommand(func(c *sandbox.Command) {
			if c.Stdout != nil {
				c.Stdout = hoarder(c.Stdout)
			}
		}), []string{"slow reader"}},
		{"hanging: stdin stays open", changeCommand(func(c *sandbox.Command) {
			if c.Stdin == nil {
				c.Stdin, _ = io.Pipe()
			}
		}), []string{"without stdin"}},
		{
			"clinging: detached processes end with their stream", changeCommand(func(c *sandbox.Command) { c.Detached = false }),
			[]string{"a detached process outlives Close", "outlives the end of Start's context"},
		},
		{"careless: no process ends with its stream", func(f *faulty) {
			f.box = func(b *faultyBox) {
				b.start = func(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
					p, err := b.Sandbox.Start(context.WithoutCancel(ctx), cmd)
					return &clinging{p}, err
				}
			}
		}, []string{"Close kills the tree", "the end of Start's context"}},
		{"timeless: timeouts don't count", changeCommand(func(c *sandbox.Command) { c.Timeout = 0 }), []string{"a timeout kills", "a timeout counts"}},
		{"boundless: output has no limit", changeCommand(func(c *sandbox.Command) { c.MaxOutput = 0 }), []string{"max_output kills", "counts stdout and stderr together"}},
		{"homeless: the directory is dropped", changeCommand(func(c *sandbox.Command) { c.Dir = "" }), []string{"the directory is honoured", "a missing folder"}},
		{"quoting: arguments pass through a shell", changeCommand(func(c *sandbox.Command) {
			if len(c.Argv) > 0 {
				c.Argv, c.Script = nil, quote(c.Argv)
			}
		}), []string{"arguments arrive", "isn't there is 127"}},
	}
}

func lifeFaults() []fault {
	return []fault{
		{"forgetful: Gone and Unavailable are confused", func(f *faulty) {
			f.resume = func(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
				sb, err := f.wrap(f.Provider.Resume(ctx, req))
				if errors.Is(err, sandbox.Gone) {
					return nil, sandbox.Errorf(sandbox.Unavailable, "resume: %w", errors.New("no route"))
				}
				return sb, err
			}
		}, []string{"a destroyed sandbox is Gone", "never was"}},
		{"amnesiac: a key is forgotten", func(f *faulty) {
			f.create = func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
				req.Key = freshKey()
				return f.wrap(f.Provider.Create(ctx, req))
			}
		}, []string{"the same key twice", "the same key from two"}},
		{"unlabeled: labels are lost", func(f *faulty) {
			f.list = func(ctx context.Context) ([]sandbox.Summary, error) {
				all, err := f.Provider.List(ctx)
				for i := range all {
					all[i].Labels.Thread = ""
				}
				return all, err
			}
		}, []string{"listed with its labels"}},
		{"hiding: nothing is listed", func(f *faulty) {
			f.list = func(context.Context) ([]sandbox.Summary, error) { return nil, nil }
		}, []string{"listed with its labels"}},
		{"lazy: nothing is destroyed", func(f *faulty) {
			f.destroy = func(context.Context, string) error { return nil }
		}, []string{"a destroyed sandbox is Gone", "isn't listed", "destroy ends every process", "is empty", "the suite itself"}},
		{"strict: what is gone can't be destroyed", func(f *faulty) {
			f.destroy = func(ctx context.Context, id string) error {
				if _, err := f.Provider.Resume(ctx, sandbox.ResumeRequest{ID: id}); err != nil {
					return err
				}
				return f.Provider.Destroy(ctx, id)
			}
		}, []string{"destroying twice"}},
		{"stubborn: a canceled create is finished", func(f *faulty) {
			f.create = func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
				sb, err := f.wrap(f.Provider.Create(context.WithoutCancel(ctx), req))
				return sb, errors.Join(err, ctx.Err())
			}
		}, []string{"it was canceled"}},
		{"silent: a decision on the network is dropped", func(f *faulty) {
			f.create = func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
				req.Network, req.Secrets = sandbox.Network{}, nil
				return f.wrap(f.Provider.Create(ctx, req))
			}
		}, []string{"network_policy is", "brokers_secrets is"}},
		{"boasting: more is promised than there is", func(f *faulty) {
			f.caps = func(c *sandbox.Capabilities) {
				c.PTY, c.NetworkPolicy, c.BrokersSecrets = true, sandbox.NetworkAllowList, true
			}
			f.box = func(b *faultyBox) { b.info = func(i *sandbox.Info) { i.Capabilities.PTY = true } }
		}, []string{"never widen", "pty is", "network_policy is", "brokers_secrets is"}},
		{"modest: less is said than there is", func(f *faulty) {
			f.box = func(b *faultyBox) { b.info = func(i *sandbox.Info) { i.Capabilities.Files = false } }
		}, []string{"fs is"}},
		{"virtual: paths aren't real", func(f *faulty) {
			f.box = func(b *faultyBox) { b.info = func(i *sandbox.Info) { i.Root, i.Home = "/workspace", i.Home+"/." } }
		}, []string{"real and absolute"}},
		{"bare: the base environment is dropped", func(f *faulty) {
			f.create = func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
				req.Env = nil
				return f.wrap(f.Provider.Create(ctx, req))
			}
		}, []string{"the base environment"}},
	}
}

func fileFaults() []fault {
	return []fault{
		{"following: stat follows links", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.stat = func(ctx context.Context, path string) (sandbox.FileInfo, error) {
				st, err := os.Stat(b.real(path))
				if err != nil {
					return sandbox.FileInfo{}, sandbox.Errorf(sandbox.NotFound, "stat: %w", err)
				}
				return sandbox.FileInfo{Name: st.Name(), Kind: sandbox.KindFile, Mode: st.Mode().Perm(), Size: st.Size(), ModTime: st.ModTime()}, nil
			}
		}), []string{"don't follow the last link", "what is there isn't NotFound", "isn't served is Denied"}},
		{
			"tearing: a write isn't atomic", onFiles(tearing),
			[]string{"never a mixture", "whose reader fails", "whose context ends leaves", "an open reader"},
		},
		{"wandering: every path is served", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.read = func(_ context.Context, path string, _ sandbox.ReadOptions) (io.ReadCloser, error) {
				return os.Open(b.real(path))
			}
		}), []string{"isn't served is Denied", "links out of the root"}},
		{"trusting: a tar stream is unpacked as it is", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.push = func(_ context.Context, path string, r io.Reader) error { return trust(b.real(path), r) }
		}), []string{"a pushed member with .. is", "further in", "a link that is pushed"}},
		{"sweeping: the root is removed like any folder", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.remove = func(_ context.Context, path string) error { return os.RemoveAll(b.real(path)) }
		}), []string{"the root is refused"}},
		{"jumbled: entries aren't sorted", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.list = func(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
				list, err := f.Files.List(ctx, path)
				slices.Reverse(list)
				return list, err
			}
		}), []string{"1,000 entries"}},
		{"lagging: appended lines come late", onFiles(lagging), []string{"within 50 ms"}},
		{"tidy: names are trimmed", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.write = func(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
				return f.Files.Write(ctx, strings.TrimSpace(path), r, opts)
			}
		}), []string{`" lead and trail "`, "1,000 entries"}},
		{"forgetting: modes are lost", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.write = func(ctx context.Context, path string, r io.Reader, _ sandbox.WriteOptions) error {
				return f.Files.Write(ctx, path, r, sandbox.WriteOptions{Mode: 0o600})
			}
		}), []string{"a new file is 0644", "keeps the mode"}},
	}
}

func TestTheSuiteSeesFaults(t *testing.T) {
	for _, f := range slices.Concat(processFaults(), lifeFaults(), fileFaults(), nameFaults(), hostileFaults(), hostileTarFaults(), copyFaults(), portFaults()) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel() // most wait for what doesn't come
			o := options(t, func(p sandbox.Provider) sandbox.Provider {
				faulty := &faulty{Provider: p}
				f.plant(faulty)
				return faulty
			})
			got := judge(t, o, f.seen...)
			for _, word := range f.seen {
				sees := func(name string) bool { return strings.Contains(name, word) }
				if !slices.ContainsFunc(failedCases(got), sees) {
					t.Errorf("the case about %q passes", word)
				}
			}
			for name, messages := range got.failures {
				t.Logf("%s: %.200q", name, messages)
			}
		})
	}
}

func failedCases(r results) []string {
	var names []string
	for name := range r.failures {
		names = append(names, name)
	}
	return names
}

func TestTheLeakCheckFindsAPlantedLeak(t *testing.T) {
	backend := tiny{folder(t), providertest.DefaultOwner}
	sb, err := backend.Create(t.Context(), sandbox.CreateRequest{Key: freshKey()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := backend.Destroy(context.Background(), sb.ID()); err != nil {
			t.Error(err)
		}
	}()
	// A process that the provider knows nothing of.
	planted := plant(t, sb.Info().Root)
	beats := providertest.Heartbeats(sb, ".")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := leakcheck.Await(ctx, beats, "planted"); err != nil {
		t.Fatal(err)
	}
	var live []string
	for ctx.Err() == nil && len(live) == 0 { // a busy machine lets nothing beat for a while
		if live, err = leakcheck.Leaks(ctx, beats, 200*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(live, []string{"planted"}) {
		t.Errorf("while it runs the check says %q", live)
	}
	if err := errors.Join(planted.Process.Kill(), planted.Wait()); err == nil {
		t.Error("it had ended by itself")
	}
	live, err = leakcheck.Leaks(ctx, beats, 200*time.Millisecond)
	if err != nil || len(live) > 0 {
		t.Errorf("after its end the check says %q %v", live, err)
	}
}
