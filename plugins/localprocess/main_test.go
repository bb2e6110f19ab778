package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// The test program run again is another process of the plugin: it starts
// commands, or kills what another started.
func TestMain(m *testing.M) {
	verb := os.Getenv("LOCALPROCESS_TEST")
	if verb == "" {
		os.Exit(m.Run())
	}
	if err := helper(context.Background(), verb, os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func helper(ctx context.Context, verb, home, id string, args []string) error {
	p, err := newProvider(ctx, config{}, sdk.Host{Home: home, Owner: "me", Log: hclog.NewNullLogger()})
	if err != nil {
		return err
	}
	sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err != nil {
		return err
	}
	switch verb {
	case "destroy-all-but", "run-all-but":
		return allBut(ctx, verb, home, id, args)
	case "run":
		_, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: args[0], Argv: append([]string{"sh", "-c"}, args[1:]...)})
		return err
	case "kill":
		return sb.Kill(ctx, args[0], 0)
	}
	var sink bytes.Buffer
	_, err = sb.Start(ctx, sandbox.Command{ID: args[0], Script: args[1], Detached: true, Stdout: &sink, Stderr: &sink})
	return err
}

const key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func newTest(t *testing.T, c config) *provider {
	t.Helper()
	p, err := newProvider(t.Context(), c, sdk.Host{Home: t.TempDir(), Owner: "me", Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*provider)
}

func request(key string) sandbox.CreateRequest {
	return sandbox.CreateRequest{Key: key, Labels: sandbox.Labels{Owner: "me", Key: key}}
}

func create(t *testing.T, p *provider) *box {
	t.Helper()
	sb, err := p.Create(t.Context(), request(key))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Destroy(context.Background(), sb.ID()); err != nil {
			t.Error(err)
		}
	})
	return sb.(*box)
}

func newBox(t *testing.T) *box {
	t.Helper()
	return create(t, newTest(t, config{}))
}

// output is a writer for one stream of a process.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

type result struct {
	exit           sandbox.Exit
	stdout, stderr string
}

// run runs a command to its end.
func run(t *testing.T, b *box, cmd sandbox.Command) result {
	t.Helper()
	var stdout, stderr output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	p := begin(t, b, cmd)
	return result{wait(t, p), stdout.String(), stderr.String()}
}

func begin(t *testing.T, b *box, cmd sandbox.Command) sandbox.Process {
	t.Helper()
	if cmd.ID == "" {
		cmd.ID = "p"
	}
	p, err := b.Start(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wait(t *testing.T, p sandbox.Process) sandbox.Exit {
	t.Helper()
	exit, err := p.Wait(deadline(t, 20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, tick := deadline(t, 20*time.Second), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		}
	}
}

func wantClass(t *testing.T, err error, class sandbox.Class, words ...string) {
	t.Helper()
	if got := sandbox.ClassOf(err); got != class {
		t.Errorf("class %q, want %q: %v", got, class, err)
	}
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%q isn't in the error: %v", w, err)
		}
	}
}

// clean fails if the sandbox's state folder has more than its owner file.
func clean(t *testing.T, b *box) {
	t.Helper()
	for _, pattern := range []string{"procs/*", "procs/.*", ".*"} {
		left, err := filepath.Glob(filepath.Join(b.info.StateDir, pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("left in the state folder: %q %v", left, err)
		}
	}
}
