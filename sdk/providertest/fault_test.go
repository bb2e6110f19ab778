//go:build unix

package providertest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// faulty is a provider with faults: each function that is set takes the place
// of a method.
type faulty struct {
	sandbox.Provider
	create  func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error)
	resume  func(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error)
	destroy func(ctx context.Context, id string) error
	list    func(ctx context.Context) ([]sandbox.Summary, error)
	caps    func(c *sandbox.Capabilities)
	box     func(b *faultyBox)

	restore   func(ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error)
	snapshots func(ctx context.Context) ([]sandbox.Snapshot, error)
	unsnap    func(ctx context.Context, id string) error
}

func (f *faulty) wrap(sb sandbox.Sandbox, err error) (sandbox.Sandbox, error) {
	if err != nil || f.box == nil {
		return sb, err
	}
	b := &faultyBox{Sandbox: sb}
	f.box(b)
	return b, nil
}

func (f *faulty) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if f.create != nil {
		return f.create(ctx, req)
	}
	return f.wrap(f.Provider.Create(ctx, req))
}

func (f *faulty) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	if f.resume != nil {
		return f.resume(ctx, req)
	}
	return f.wrap(f.Provider.Resume(ctx, req))
}

func (f *faulty) Destroy(ctx context.Context, id string) error {
	if f.destroy != nil {
		return f.destroy(ctx, id)
	}
	return f.Provider.Destroy(ctx, id)
}

func (f *faulty) List(ctx context.Context) ([]sandbox.Summary, error) {
	if f.list != nil {
		return f.list(ctx)
	}
	return f.Provider.List(ctx)
}

func (f *faulty) Capabilities() sandbox.Capabilities {
	c := f.Provider.Capabilities()
	if f.caps != nil {
		f.caps(&c)
	}
	return c
}

// faultyBox is the same for a sandbox.
type faultyBox struct {
	sandbox.Sandbox
	start func(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error)
	kill  func(ctx context.Context, proc string, grace time.Duration) error
	alive func(ctx context.Context, proc string) (sandbox.Liveness, error)
	info  func(i *sandbox.Info)

	snapshot func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error)
	fork     func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error)
	port     func(ctx context.Context, port int) (sandbox.Port, error)
	keep     func(ctx context.Context, d time.Duration) error

	files func(f *faultyFiles)
}

func (b *faultyBox) Info() sandbox.Info {
	i := b.Sandbox.Info()
	if b.info != nil {
		b.info(&i)
	}
	return i
}

func (b *faultyBox) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	if b.start != nil {
		return b.start(ctx, cmd)
	}
	return b.Sandbox.Start(ctx, cmd)
}

func (b *faultyBox) Kill(ctx context.Context, proc string, grace time.Duration) error {
	if b.kill != nil {
		return b.kill(ctx, proc, grace)
	}
	return b.Sandbox.Kill(ctx, proc, grace)
}

func (b *faultyBox) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	if b.alive != nil {
		return b.alive(ctx, proc)
	}
	return b.Sandbox.Alive(ctx, proc)
}

func (b *faultyBox) Files() sandbox.Files {
	f := &faultyFiles{Files: b.Sandbox.(sandbox.Filer).Files()}
	if b.files != nil {
		b.files(f)
	}
	return f
}

// faultyFiles is the same for files.
type faultyFiles struct {
	sandbox.Files
	read   func(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error)
	write  func(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error
	stat   func(ctx context.Context, path string) (sandbox.FileInfo, error)
	list   func(ctx context.Context, path string) ([]sandbox.FileInfo, error)
	remove func(ctx context.Context, path string) error
	pull   func(ctx context.Context, path string, w io.Writer) error
	chmod  func(ctx context.Context, path string, mode fs.FileMode) error
	rename func(ctx context.Context, from, to string) error
	mkdir  func(ctx context.Context, path string, mode fs.FileMode) error
	push   func(ctx context.Context, path string, r io.Reader) error
}

func (f *faultyFiles) Read(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	if f.read != nil {
		return f.read(ctx, path, opts)
	}
	return f.Files.Read(ctx, path, opts)
}

func (f *faultyFiles) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	if f.write != nil {
		return f.write(ctx, path, r, opts)
	}
	return f.Files.Write(ctx, path, r, opts)
}

func (f *faultyFiles) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	if f.stat != nil {
		return f.stat(ctx, path)
	}
	return f.Files.Stat(ctx, path)
}

func (f *faultyFiles) List(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	if f.list != nil {
		return f.list(ctx, path)
	}
	return f.Files.List(ctx, path)
}

func (f *faultyFiles) Remove(ctx context.Context, path string) error {
	if f.remove != nil {
		return f.remove(ctx, path)
	}
	return f.Files.Remove(ctx, path)
}

func (f *faultyFiles) Pull(ctx context.Context, path string, w io.Writer) error {
	if f.pull != nil {
		return f.pull(ctx, path, w)
	}
	return f.Files.Pull(ctx, path, w)
}

func (f *faultyFiles) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	if f.chmod != nil {
		return f.chmod(ctx, path, mode)
	}
	return f.Files.Chmod(ctx, path, mode)
}

func (f *faultyFiles) Rename(ctx context.Context, from, to string) error {
	if f.rename != nil {
		return f.rename(ctx, from, to)
	}
	return f.Files.Rename(ctx, from, to)
}

func (f *faultyFiles) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	if f.mkdir != nil {
		return f.mkdir(ctx, path, mode)
	}
	return f.Files.Mkdir(ctx, path, mode)
}

func (f *faultyFiles) Push(ctx context.Context, path string, r io.Reader) error {
	if f.push != nil {
		return f.push(ctx, path, r)
	}
	return f.Files.Push(ctx, path, r)
}

// onStart makes a fault that changes a command or what came of it.
func onStart(change func(b *faultyBox, cmd *sandbox.Command) func(sandbox.Process) sandbox.Process) func(f *faulty) {
	return func(f *faulty) {
		f.box = func(b *faultyBox) {
			b.start = func(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
				after := change(b, &cmd)
				p, err := b.Sandbox.Start(ctx, cmd)
				if err != nil || after == nil {
					return p, err
				}
				return after(p), nil
			}
		}
	}
}

// exiting is a process with another Wait.
type exiting struct {
	sandbox.Process
	wait func(exit sandbox.Exit, err error) (sandbox.Exit, error)
}

func (e *exiting) Wait(ctx context.Context) (sandbox.Exit, error) { return e.wait(e.Process.Wait(ctx)) }

// clinging is a process that Close doesn't end.
type clinging struct{ sandbox.Process }

func (c *clinging) Close() error { return nil }

func changeExit(change func(e *sandbox.Exit)) func(f *faulty) {
	return onStart(func(*faultyBox, *sandbox.Command) func(sandbox.Process) sandbox.Process {
		return func(p sandbox.Process) sandbox.Process {
			return &exiting{p, func(exit sandbox.Exit, err error) (sandbox.Exit, error) {
				change(&exit)
				return exit, err
			}}
		}
	})
}

func changeCommand(change func(cmd *sandbox.Command)) func(f *faulty) {
	return onStart(func(_ *faultyBox, cmd *sandbox.Command) func(sandbox.Process) sandbox.Process {
		change(cmd)
		return nil
	})
}

// writerFunc is a Writer that never fails.
type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// hoarder takes everything at once and hands it on when it can.
func hoarder(to io.Writer) io.Writer {
	queue := make(chan []byte, 1<<20)
	go func() {
		for p := range queue {
			_, _ = to.Write(p)
		}
	}()
	return writerFunc(func(p []byte) { queue <- bytes.Clone(p) })
}

// leaders remembers pids, as a provider with pid files would.
type leaders struct{ pids sync.Map }

func (l *leaders) fault(f *faulty) {
	f.box = func(b *faultyBox) {
		b.start = func(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
			p, err := b.Sandbox.Start(ctx, cmd)
			if err == nil {
				l.pids.Store(b.ID()+cmd.ID, p.PID())
			}
			return p, err
		}
		b.kill = func(_ context.Context, proc string, _ time.Duration) error {
			if pid, ok := l.pids.Load(b.ID() + proc); ok {
				_ = syscall.Kill(pid.(int), syscall.SIGKILL)
			}
			return nil
		}
	}
}

func freshKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return hex.EncodeToString(key)
}

// real is the path of this machine that a careless provider would use.
func (b *faultyBox) real(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(b.Sandbox.Info().Root, path)
}

func onFiles(change func(b *faultyBox, f *faultyFiles)) func(f *faulty) {
	return func(f *faulty) {
		f.box = func(b *faultyBox) { b.files = func(ff *faultyFiles) { change(b, ff) } }
	}
}

func tearing(b *faultyBox, f *faultyFiles) {
	f.write = func(_ context.Context, path string, r io.Reader, _ sandbox.WriteOptions) error {
		if err := os.MkdirAll(filepath.Dir(b.real(path)), 0o755); err != nil {
			return err
		}
		file, err := os.Create(b.real(path))
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(file, r)
		return err
	}
}

func lagging(_ *faultyBox, f *faultyFiles) {
	f.read = func(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
		r, err := f.Files.Read(ctx, path, opts)
		if err != nil || !opts.Follow {
			return r, err
		}
		return &late{r}, nil
	}
}

type late struct{ io.ReadCloser }

func (l *late) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	<-time.After(150 * time.Millisecond)
	return n, err
}

// recoded replaces what isn't UTF-8.
func recoded(p []byte) []byte { return bytes.ToValidUTF8(p, []byte("\ufffd")) }

func quote(args []string) string {
	var out []string
	for _, a := range args {
		out = append(out, `"`+a+`"`) // as a beginner does
	}
	return strings.Join(out, " ")
}
