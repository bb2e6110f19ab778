package recovery_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/recovery"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// world is what a provider's plugins share: the backend. Each call is noted as
// "life call".
type world struct {
	mu        sync.Mutex
	calls     []string
	lives     int
	restarts  []string
	stillborn int            // this many lives are dead as soon as they are started
	refuses   error          // of every start after the first
	deadly    map[string]int // calls under which the plugin dies, and how often
	undead    bool           // Kill fails
	away      bool           // the backend is out of reach
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, fmt.Sprintf(format, args...))
}

func (w *world) noted() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.calls, "\n")
}

// provider opens one, closed with the test.
func (w *world) provider(t *testing.T) *recovery.Provider {
	t.Helper()
	p, err := recovery.New(t.Context(), recovery.Options{
		Launch: w.launch, Restarts: func(why error) { w.restarts = append(w.restarts, why.Error()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// box opens a sandbox of one.
func (w *world) box(t *testing.T) sandbox.Sandbox {
	t.Helper()
	sb, err := w.provider(t).Resume(t.Context(), sandbox.ResumeRequest{ID: "box", Env: map[string]string{"A": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	return sb
}

func (w *world) launch(context.Context) (recovery.Running, error) {
	w.lives++
	if w.lives > 1 && w.refuses != nil {
		return nil, w.refuses
	}
	m := &mortal{world: w, life: w.lives}
	if w.lives > 1 && w.stillborn > 0 {
		w.stillborn--
		m.die()
	}
	return m, nil
}

// mortal is a plugin that dies under the calls it is told to.
type mortal struct {
	world *world
	life  int

	mu   sync.Mutex
	dead error
}

func (m *mortal) die() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = fmt.Errorf("plugin %d was killed", m.life)
}

func (m *mortal) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

func (m *mortal) Close() error {
	m.world.note("%d close", m.life)
	return nil
}

// call is one call: it fails where the plugin is dead, or dies of it.
func (m *mortal) call(name string) error {
	m.world.note("%d %s", m.life, name)
	m.world.mu.Lock()
	dies := m.world.deadly[name] > 0
	if dies {
		m.world.deadly[name]--
	}
	m.world.mu.Unlock()
	if dies {
		m.die()
	}
	if m.world.away {
		return sandbox.Errorf(sandbox.Unavailable, "%s: no route to host", name)
	}
	if err := m.Err(); err != nil {
		return sandbox.Errorf(sandbox.Unavailable, "%s: %w", name, err)
	}
	return nil
}

func (m *mortal) Create(_ context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return &box{m}, m.call("create " + req.Key)
}

func (m *mortal) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return &box{m}, m.call(fmt.Sprintf("resume %s %v", req.ID, req.Env))
}

func (m *mortal) Destroy(_ context.Context, id string) error { return m.call("destroy " + id) }

func (m *mortal) List(context.Context) ([]sandbox.Summary, error) {
	return []sandbox.Summary{{ID: "box"}}, m.call("list")
}

func (m *mortal) Capabilities() sandbox.Capabilities { return able() }

func able() sandbox.Capabilities { return sandbox.Capabilities{}.Of((*mortal)(nil), (*box)(nil)) }

func (m *mortal) Restore(_ context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return &box{m}, m.call("restore " + id + " as " + req.Key)
}

func (m *mortal) Snapshots(context.Context) ([]sandbox.Snapshot, error) {
	return []sandbox.Snapshot{{ID: "snap"}}, m.call("snapshots")
}

func (m *mortal) DeleteSnapshot(_ context.Context, id string) error { return m.call("delete " + id) }

type box struct{ m *mortal }

func (b *box) ID() string { return "box" }

func (b *box) Info() sandbox.Info {
	return sandbox.Info{Root: "/root", Capabilities: able()}
}

func (b *box) Start(_ context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	if err := b.m.call("start " + cmd.ID); err != nil {
		return nil, err
	}
	return &process{b.m, cmd.ID}, nil
}

func (b *box) Kill(_ context.Context, proc string, _ time.Duration) error {
	if b.m.world.undead {
		return sandbox.Errorf(sandbox.Internal, "%s won't die", proc)
	}
	return b.m.call("kill " + proc)
}

func (b *box) Alive(_ context.Context, proc string) (sandbox.Liveness, error) {
	return sandbox.AliveYes, b.m.call("alive " + proc)
}

func (b *box) Exec(_ context.Context, cmd sandbox.Command) (sandbox.Output, error) {
	return sandbox.Output{}, b.m.call("exec " + cmd.ID)
}

func (b *box) Files() sandbox.Files { return files{b.m} }

func (b *box) Port(_ context.Context, port int) (sandbox.Port, error) {
	return sandbox.Port{}, b.m.call(fmt.Sprint("port ", port))
}

func (b *box) KeepAlive(_ context.Context, d time.Duration) error {
	return b.m.call("keep " + d.String())
}

func (b *box) Snapshot(_ context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	return sandbox.Snapshot{ID: "snap"}, b.m.call("snapshot " + req.Label)
}

func (b *box) Fork(_ context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return b, b.m.call("fork as " + req.Key)
}

type process struct {
	m  *mortal
	id string
}

func (p *process) PID() int                                   { return 1 }
func (p *process) Signal(context.Context, int) error          { return p.m.call("signal " + p.id) }
func (p *process) Resize(context.Context, sandbox.Size) error { return p.m.call("resize " + p.id) }
func (p *process) Close() error                               { return p.m.call("let go " + p.id) }
func (p *process) Wait(context.Context) (sandbox.Exit, error) {
	if err := p.m.call("wait " + p.id); err != nil {
		return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, err
	}
	return sandbox.Exit{Reason: sandbox.ReasonExited}, nil
}

// files dies in the middle of the content where its call is deadly.
type files struct{ m *mortal }

func (f files) Stat(context.Context, string) (sandbox.FileInfo, error) {
	return sandbox.FileInfo{}, f.m.call("stat")
}

func (f files) List(context.Context, string) ([]sandbox.FileInfo, error) { return nil, f.m.call("ls") }

func (f files) Mkdir(context.Context, string, fs.FileMode) error { return f.m.call("mkdir") }

func (f files) Rename(context.Context, string, string) error { return f.m.call("rename") }

func (f files) Remove(context.Context, string) error { return f.m.call("remove") }

func (f files) Chmod(context.Context, string, fs.FileMode) error { return f.m.call("chmod") }

func (f files) Read(context.Context, string, sandbox.ReadOptions) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("content")), f.m.call("read")
}

func (f files) Write(_ context.Context, _ string, r io.Reader, _ sandbox.WriteOptions) error {
	return f.take("write", r)
}

func (f files) Push(_ context.Context, _ string, r io.Reader) error { return f.take("push", r) }

func (f files) take(name string, r io.Reader) error {
	data, err := io.ReadAll(r)
	f.m.world.note("%d got %q", f.m.life, data)
	if err != nil {
		return err
	}
	return f.m.call(name)
}

func (f files) Pull(_ context.Context, _ string, w io.Writer) error {
	if err := f.m.call("pull"); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "content"); err != nil {
		return err
	}
	return f.m.call("pulled")
}
