package providertest

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// result is what a command came to.
type result struct {
	pid            int
	stdout, stderr []byte
	exit           sandbox.Exit
}

// start starts a command; the end of the case closes it.
func (b *bed) start(sb sandbox.Sandbox, cmd sandbox.Command) sandbox.Process {
	b.Helper()
	return b.startIn(b.ctx, sb, cmd)
}

func (b *bed) startIn(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Command) sandbox.Process {
	b.Helper()
	p, err := sb.Start(ctx, cmd)
	if err != nil {
		b.Fatalf("start %s: %v", cmd.ID, err)
	}
	b.Cleanup(func() { _ = p.Close() }) // a case that cares has closed it itself
	return p
}

// wait returns the exit of a process that is to end soon.
func (b *bed) wait(p sandbox.Process) sandbox.Exit {
	b.Helper()
	ctx, cancel := b.patient()
	defer cancel()
	exit, err := p.Wait(ctx)
	if ctx.Err() != nil && err != nil {
		b.Fatalf("wait: it hasn't ended within %v: %v", b.suite.opts.Patience, err)
	}
	if err != nil {
		b.Fatalf("wait: %v", err)
	}
	return exit
}

// run runs a command to its end with Start, and collects its output.
func (b *bed) run(cmd sandbox.Command) result {
	b.Helper()
	return b.runIn(b.sb, cmd)
}

func (b *bed) runIn(sb sandbox.Sandbox, cmd sandbox.Command) result {
	b.Helper()
	var stdout, stderr buffer
	if cmd.ID == "" {
		cmd.ID = b.id("run")
	}
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	p, err := sb.Start(b.ctx, cmd)
	if err != nil {
		b.Fatalf("start %s: %v", cmd.ID, err)
	}
	exit, err := p.Wait(b.ctx)
	if err != nil {
		_ = p.Close()
		b.Fatalf("wait for %s: %v", cmd.ID, err)
	}
	if err := p.Close(); err != nil {
		b.Errorf("close %s: %v", cmd.ID, err)
	}
	return result{p.PID(), stdout.Bytes(), stderr.Bytes(), exit}
}

// sh runs a script that must end well, with its arguments from $1 on, and
// returns what it prints.
func (b *bed) sh(script string, args ...string) string {
	b.Helper()
	return b.shIn(b.sb, script, args...)
}

func (b *bed) shIn(sb sandbox.Sandbox, script string, args ...string) string {
	b.Helper()
	r := b.runIn(sb, sandbox.Command{ID: b.id("sh"), Argv: shell(script, args...)})
	if !r.exit.Ok() {
		b.Fatalf("script %.60q: %+v, stderr %.500q", script, r.exit, r.stderr)
	}
	return string(r.stdout)
}

func shell(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh"}, args...)
}

// put makes a file without the help of Files.
func (b *bed) put(path string, content []byte) {
	b.Helper()
	r := b.run(sandbox.Command{Argv: shell(`cat >"$1"`, path), Stdin: bytes.NewReader(content)})
	if !r.exit.Ok() {
		b.Fatalf("write %s: %+v, stderr %q", path, r.exit, r.stderr)
	}
}

// get reads a file without the help of Files.
func (b *bed) get(path string) string {
	b.Helper()
	return b.sh(`cat -- "$1"`, path)
}

// lines splits what a script printed.
func lines(out string) []string {
	return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
}

// buffer is a bytes.Buffer for a process and a case at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}

func (b *buffer) String() string { return string(b.Bytes()) }

// writerFunc is a writer that takes all.
type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
