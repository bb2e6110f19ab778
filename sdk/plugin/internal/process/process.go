package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// Options of a process.
type Options struct {
	Path  string
	Args  []string
	Env   []string                 // the whole environment but the handshake's variables
	Lines func(line []byte)        // told of each line of stderr, without its end; nil: dropped
	Scrub func(text []byte) []byte // takes secrets out of a line that was cut; nil: there are none
}

// Process is one plugin process. It implements runner.Runner.
type Process struct {
	opts Options
	env  []string // of the handshake

	Tail  Tail  // of stderr
	First First // what it printed on stdout first

	stdout func(*os.File) // reads it to its end
	line   *io.PipeReader // go-plugin reads the handshake line here
	gaveUp chan struct{}  // closed by the first Kill
	ended  chan struct{}  // closed when the process has ended
	exited chan struct{}  // closed when it was reaped, too, and its output is in
	state  *os.ProcessState

	mu     sync.Mutex
	pid    int  // 0: not started
	killed bool // it may not start any more
	asked  bool // it was killed by us, and hadn't ended by itself before
	reaped bool // the group's id may belong to others now
}

var _ runner.Runner = (*Process)(nil)

// New prepares a process.
func New(opts Options) *Process {
	if opts.Lines == nil {
		opts.Lines = func([]byte) {}
	}
	if opts.Scrub == nil {
		opts.Scrub = func(text []byte) []byte { return text }
	}
	p := &Process{opts: opts, gaveUp: make(chan struct{}), ended: make(chan struct{}), exited: make(chan struct{})}
	var handshake *io.PipeWriter
	p.line, handshake = io.Pipe()
	p.stdout = func(r *os.File) { p.readStdout(r, handshake) }
	return p
}

// Handshake sets the environment that go-plugin adds.
func (p *Process) Handshake(env []string) { p.env = env }

// Start implements runner.Runner. After Kill it does nothing but fail. ctx ends
// the wait for a program that is being written; the process outlives it.
func (p *Process) Start(ctx context.Context) error {
	outR, outW, err := os.Pipe()
	if err != nil {
		return err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		_, _ = outR.Close(), outW.Close()
		return err
	}
	cmd := p.command(outW, errW)
	started := make(chan error, 1)
	go p.run(ctx, cmd, started, outR, errR)
	err = <-started
	_, _ = outW.Close(), errW.Close() // the child has its own
	if err != nil {
		_, _ = outR.Close(), errR.Close()
	}
	return err
}

// command is what is started; its stdin is the null device.
func (p *Process) command(stdout, stderr io.Writer) *exec.Cmd {
	return &exec.Cmd{
		Path: p.opts.Path, Args: append([]string{p.opts.Path}, p.opts.Args...),
		Env:    append(append([]string{}, p.opts.Env...), p.env...),
		Stdout: stdout, Stderr: stderr, SysProcAttr: attributes(),
	}
}

// run starts the process and waits for it on one system thread: the signal for
// the host's death is sent when the thread that forked ends.
func (p *Process) run(ctx context.Context, cmd *exec.Cmd, started chan<- error, stdout, stderr *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.fork(ctx, cmd); err != nil {
		started <- err
		return
	}
	var readers sync.WaitGroup
	readers.Go(func() { p.stdout(stdout) })
	readers.Go(func() { p.readStderr(stderr) })
	started <- nil

	awaitExit(cmd) // on Linux it isn't reaped yet: the group's id is still ours
	close(p.ended)
	handshakeOver := time.AfterFunc(drainTime, func() { _ = p.line.Close() }) // nobody may read it any more
	defer handshakeOver.Stop()
	p.mu.Lock()
	killGroup(p.pid)
	p.reaped = true
	p.mu.Unlock()
	_ = cmd.Wait() // what it says is in the state; elsewhere it was called already
	p.state = cmd.ProcessState
	drain(&readers, stdout, stderr)
	close(p.exited)
}

// A program that somebody has open for writing can't be executed: its start is
// tried again for half a second.
const (
	busyTries = 10
	busyPause = 50 * time.Millisecond
)

func (p *Process) fork(ctx context.Context, cmd *exec.Cmd) error {
	err := p.forkOnce(cmd)
	for range busyTries {
		if !errors.Is(err, syscall.ETXTBSY) {
			return err
		}
		pause := time.NewTimer(busyPause) // who installs it has it open for a moment yet
		select {
		case <-pause.C:
		case <-p.gaveUp: // the next try says so
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("%w, while %w", ctx.Err(), err)
		}
		pause.Stop()
		*cmd = *p.command(cmd.Stdout, cmd.Stderr)
		err = p.forkOnce(cmd)
	}
	return err
}

func (p *Process) forkOnce(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errGivenUp
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.pid = cmd.Process.Pid
	return nil
}

var errGivenUp = errors.New("it was given up before it started")

// drainTime is how long output that is still in the pipes may take. A process
// that left the group and kept the pipe open doesn't hold up the end.
const drainTime = time.Second

func drain(readers *sync.WaitGroup, files ...*os.File) {
	done := make(chan struct{})
	go func() {
		readers.Wait()
		close(done)
	}()
	patience := time.NewTimer(drainTime)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
	for _, f := range files {
		_ = f.Close() // ends a reader that still waits
	}
	<-done
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// State is how it ended; nil before.
func (p *Process) State() *os.ProcessState {
	select {
	case <-p.exited:
		return p.state
	default:
		return nil
	}
}

// Wait implements runner.Runner.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill ends the process and its group, and waits for that.
func (p *Process) Kill(ctx context.Context) error {
	p.mu.Lock()
	started := p.pid != 0
	if started && !p.killed && !p.reaped {
		p.asked = !hasExited(p.pid)
	}
	if !p.killed {
		close(p.gaveUp)
	}
	p.killed = true
	if started && !p.reaped {
		killGroup(p.pid)
	}
	p.mu.Unlock()
	if !started {
		return nil
	}
	return p.Wait(ctx)
}

// Asked reports whether it ended because of Kill.
func (p *Process) Asked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// ID implements runner.Runner: the process id, empty if it wasn't started.
func (p *Process) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid == 0 {
		return ""
	}
	return strconv.Itoa(p.pid)
}

// Name implements runner.Runner.
func (p *Process) Name() string { return p.opts.Path }

// Stdout is the handshake line and nothing else.
func (p *Process) Stdout() io.ReadCloser { return p.line }

// Stderr is nothing: the process reads its stderr itself.
func (p *Process) Stderr() io.ReadCloser { return io.NopCloser(empty{}) }

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }

// Diagnose has nothing to add: the launcher knows more.
func (p *Process) Diagnose(context.Context) string { return "" }

// PluginToHost implements runner.Runner: both share one machine.
func (p *Process) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}

// HostToPlugin implements runner.Runner.
func (p *Process) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}
