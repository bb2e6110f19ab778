package plugin

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// stuck is a sandbox in a plugin that hangs in the middle of something. What it
// is told to do ends with its context.
type stuck struct {
	box

	start  bool // Start hangs, else the process does
	alive  func() (sandbox.Liveness, error)
	killed atomic.Bool
}

func (s *stuck) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return s, nil
}

func (s *stuck) Info() sandbox.Info {
	return sandbox.Info{Root: "/", Capabilities: sandbox.Capabilities{Files: true}}
}

func (s *stuck) Start(ctx context.Context, _ sandbox.Command) (sandbox.Process, error) {
	if s.start {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return odd{wait: func(ctx context.Context) (sandbox.Exit, error) {
		<-ctx.Done()
		return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, ctx.Err()
	}}, nil
}

func (s *stuck) Kill(context.Context, string, time.Duration) error {
	s.killed.Store(true)
	return nil
}

func (s *stuck) Alive(context.Context, string) (sandbox.Liveness, error) { return s.alive() }
func (s *stuck) Files() sandbox.Files                                    { return stuckFiles{} }

// stuckFiles hang in the middle of every content, and where it is "follow" give
// the rest of it after a while.
type stuckFiles struct{ sandbox.Files }

func (stuckFiles) Read(ctx context.Context, path string, _ sandbox.ReadOptions) (io.ReadCloser, error) {
	if path == "open" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, w := io.Pipe()
	go func() {
		_, _ = w.Write([]byte("some"))
		if path == "late" {
			<-time.After(3 * stall)
			_ = w.Close()
		}
		<-ctx.Done()
		_ = w.CloseWithError(ctx.Err())
	}()
	return r, nil
}

func (stuckFiles) Pull(ctx context.Context, _ string, w io.Writer) error {
	_, _ = w.Write([]byte("some"))
	<-ctx.Done()
	return ctx.Err()
}

func (stuckFiles) Push(ctx context.Context, path string, r io.Reader) error {
	if path == "all" {
		_, err := io.Copy(io.Discard, r)
		return err
	}
	_, _ = io.ReadFull(r, make([]byte, 1000))
	<-ctx.Done()
	return ctx.Err()
}

func (f stuckFiles) Write(ctx context.Context, path string, r io.Reader, _ sandbox.WriteOptions) error {
	return f.Push(ctx, path, r)
}

const stall = 200 * time.Millisecond

func hung(t *testing.T, s *stuck) sandbox.Sandbox {
	t.Helper()
	p := provider{s}
	conn := pipe(t, KindProvider, Main{Provider: func(context.Context, Configure) (sandbox.Provider, error) { return p, nil }})
	conn.Timeouts = Timeouts{Stall: stall, Silence: stall, Start: stall}
	sb, err := remote.NewProvider(conn, p.Capabilities()).Create(t.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return sb
}

// provider is one whose sandbox is stuck.
type provider struct{ *stuck }

func (provider) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return box{}, nil
}
func (provider) Destroy(context.Context, string) error           { return nil }
func (provider) List(context.Context) ([]sandbox.Summary, error) { return nil, nil }
func (provider) Capabilities() sandbox.Capabilities              { return sandbox.Capabilities{Files: true} }

func TestACommandThatIsNeverStartedIsGivenUpAndKilled(t *testing.T) {
	s := &stuck{start: true}
	_, err := hung(t, s).Start(t.Context(), sandbox.Command{ID: "p", Script: ":"})
	if !errors.Is(err, sandbox.TimedOut) || !strings.Contains(err.Error(), "start p: the piped provider did not answer within 200ms") {
		t.Errorf("got %v", err)
	}
	if !s.killed.Load() {
		t.Error("what may have begun wasn't killed")
	}
}

func TestACommandThatHasEndedUnseenIsLost(t *testing.T) {
	s := &stuck{alive: func() (sandbox.Liveness, error) { return sandbox.AliveNo, nil }}
	p, err := hung(t, s).Start(t.Context(), sandbox.Command{ID: "p", Script: ":"})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if exit.Reason != sandbox.ReasonUnknown || !errors.Is(err, sandbox.Unavailable) ||
		!strings.Contains(err.Error(), "follow p: the command has ended, and the piped provider didn't say how within 200ms") {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func TestACommandThatIsSilentIsLeftAlone(t *testing.T) {
	cases := []struct {
		name  string
		alive sandbox.Liveness
		err   error
	}{
		{"it lives", sandbox.AliveYes, nil},
		{"the provider can't tell", sandbox.AliveUnknown, nil},
		{"the provider can't be asked", "", sandbox.Errorf(sandbox.Unavailable, "no route to host")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 100)
			s := &stuck{alive: func() (sandbox.Liveness, error) {
				asked <- struct{}{}
				return c.alive, c.err
			}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, err := hung(t, s).Start(ctx, sandbox.Command{ID: "p", Script: ":"})
			if err != nil {
				t.Fatal(err)
			}
			waiting, done := context.WithCancel(ctx)
			go func() { // after three answers it would have been given up
				for range 4 {
					<-asked
				}
				done()
			}()
			if _, err := p.Wait(waiting); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFilesThatComeToAHaltAreTimedOut(t *testing.T) {
	content := func() io.Reader { return strings.NewReader(strings.Repeat("x", 8<<20)) }
	cases := []struct {
		name string
		call func(ctx context.Context, f sandbox.Files) error
	}{
		{"a pull", func(ctx context.Context, f sandbox.Files) error { return f.Pull(ctx, "x", io.Discard) }},
		{"a push", func(ctx context.Context, f sandbox.Files) error { return f.Push(ctx, "x", content()) }},
		{"a write", func(ctx context.Context, f sandbox.Files) error {
			return f.Write(ctx, "x", content(), sandbox.WriteOptions{})
		}},
		{"the answer to a write", func(ctx context.Context, f sandbox.Files) error {
			return f.Write(ctx, "x", strings.NewReader("little"), sandbox.WriteOptions{})
		}},
		{"a read", func(ctx context.Context, f sandbox.Files) error {
			r, err := f.Read(ctx, "x", sandbox.ReadOptions{})
			if err != nil {
				return err
			}
			defer r.Close()
			_, err = io.ReadAll(r)
			return err
		}},
		{"a read that never opens, although it follows", func(ctx context.Context, f sandbox.Files) error {
			_, err := f.Read(ctx, "open", sandbox.ReadOptions{Follow: true})
			return err
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sb := hung(t, &stuck{})
			err := c.call(t.Context(), sb.(sandbox.Filer).Files())
			if !errors.Is(err, sandbox.TimedOut) || !strings.Contains(err.Error(), "the piped provider made no headway for") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// dawdling takes and gives content with pauses that are longer than a plugin may make.
type dawdling struct{ times int }

func (s *dawdling) Write(p []byte) (int, error) {
	<-time.After(2 * stall)
	return len(p), nil
}

func (s *dawdling) Read(p []byte) (int, error) {
	if s.times--; s.times < 0 {
		return 0, io.EOF
	}
	<-time.After(2 * stall)
	return copy(p, "some"), nil
}

func TestOnlyThePluginIsWaitedForInVain(t *testing.T) {
	t.Run("a source that is slow may be", func(t *testing.T) {
		t.Parallel()
		if err := hung(t, &stuck{}).(sandbox.Filer).Files().Push(t.Context(), "all", &dawdling{times: 3}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a target that is slow isn't the plugin's fault", func(t *testing.T) {
		t.Parallel()
		began := time.Now()
		err := hung(t, &stuck{}).(sandbox.Filer).Files().Pull(t.Context(), "x", &dawdling{})
		if took := time.Since(began); !errors.Is(err, sandbox.TimedOut) || took < 3*stall {
			t.Errorf("after %s: %v", took, err)
		}
	})
	t.Run("who follows a file waits as long as it takes", func(t *testing.T) {
		t.Parallel()
		r, err := hung(t, &stuck{}).(sandbox.Filer).Files().Read(t.Context(), "late", sandbox.ReadOptions{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || string(got) != "some" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}
