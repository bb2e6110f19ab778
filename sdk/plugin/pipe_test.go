//go:build unix

package plugin_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/plain"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// piped is a fresh sandbox behind a real connection in this process.
func piped(t *testing.T) sandbox.Sandbox {
	t.Helper()
	return create(t, plugin.ProviderPipe(t, plain.New(t.TempDir())))
}

func create(t *testing.T, p sandbox.Provider) sandbox.Sandbox {
	t.Helper()
	sb, err := p.Create(t.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return sb
}

// sh runs a script to its end and fails the test if the process has no exit.
func sh(t *testing.T, sb sandbox.Sandbox, cmd sandbox.Command) sandbox.Exit {
	t.Helper()
	p, err := sb.Start(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

func TestCreateTellsProgressAndInfo(t *testing.T) {
	p := plugin.ProviderPipe(t, plain.New(t.TempDir()))
	var steps []sandbox.Progress
	sb, err := p.Create(t.Context(), sandbox.CreateRequest{
		Key: key, Progress: func(s sandbox.Progress) { steps = append(steps, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sandbox.Progress{{Phase: "create", Detail: "making a folder", Percent: -1}}, steps); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if sb.ID() != key || !filepath.IsAbs(sb.Info().Root) || !sb.Info().Capabilities.Files {
		t.Errorf("got id %q, info %+v", sb.ID(), sb.Info())
	}
}

func TestProviderErrorsKeepTheirClass(t *testing.T) {
	p := plugin.ProviderPipe(t, plain.New(t.TempDir()))
	_, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: "nothing"})
	if !errors.Is(err, sandbox.Gone) {
		t.Errorf("resume of nothing: got %v, want class gone", err)
	}
	_, err = p.Create(t.Context(), sandbox.CreateRequest{})
	if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), "not 64 hex digits") {
		t.Errorf("create without key: got %v", err)
	}
}

func TestACallResumesASandboxThisProcessHasNotOpened(t *testing.T) {
	dir := t.TempDir()
	first := create(t, plugin.ProviderPipe(t, plain.New(dir)))
	if err := first.(sandbox.Filer).Files().Write(t.Context(), "f", strings.NewReader("x"), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	// The same sandbox through a provider that never made or resumed it.
	other := &renamed{Provider: plain.New(dir)}
	sb := create(t, plugin.ProviderPipe(t, other))
	out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "c", Argv: []string{"cat", "f"}})
	if err != nil || string(out.Stdout) != "x" {
		t.Errorf("got %q, %v", out.Stdout, err)
	}
	if other.resumes != 2 { // Create's own, and the one for the name it was answered
		t.Errorf("resumed %d times, want 2", other.resumes)
	}
}

// renamed answers Create with a sandbox that says another id than the one it
// is kept under, so that the next call has to resume.
type renamed struct {
	*plain.Provider
	resumes int
}

func (r *renamed) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	sb, err := r.Resume(ctx, sandbox.ResumeRequest{ID: req.Key})
	return &alias{Sandbox: sb}, err
}

func (r *renamed) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	r.resumes++
	return r.Provider.Resume(ctx, req)
}

type alias struct {
	sandbox.Sandbox
	asked bool
}

func (a *alias) ID() string {
	if !a.asked {
		a.asked = true
		return "another"
	}
	return a.Sandbox.ID()
}

func TestStartSeparatesOutputsAndTellsTheExit(t *testing.T) {
	sb := piped(t)
	var stdout, stderr bytes.Buffer
	exit := sh(t, sb, sandbox.Command{
		ID: "p", Script: `echo out; echo err >&2; printf '\377\000' ; exit 3`, Stdout: &stdout, Stderr: &stderr,
	})
	if exit.Code != 3 || exit.Reason != sandbox.ReasonExited {
		t.Errorf("exit: got %+v", exit)
	}
	if stdout.String() != "out\n\377\000" || stderr.String() != "err\n" {
		t.Errorf("got %q and %q", stdout.String(), stderr.String())
	}
}

func TestStartTellsAFailureBeforeTheProcessExists(t *testing.T) {
	sb := piped(t)
	_, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: "true", Dir: "/no/such/dir"})
	if !errors.Is(err, sandbox.NotFound) || !strings.Contains(err.Error(), "/no/such/dir") {
		t.Errorf("got %v, want class not_found that names the folder", err)
	}
}

func TestAProgramThatIsNotThereIsStartedWithoutPID(t *testing.T) {
	sb := piped(t)
	p, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Argv: []string{"/no/such/program"}})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if err != nil || p.PID() != -1 || exit.Code != 127 || exit.Message == "" {
		t.Errorf("got pid %d, exit %+v, %v", p.PID(), exit, err)
	}
}

func TestOutputGoesOnAfterTheEndOfStdin(t *testing.T) {
	sb := piped(t)
	var out bytes.Buffer
	exit := sh(t, sb, sandbox.Command{
		ID: "p", Script: `cat; echo after`, Stdin: strings.NewReader(strings.Repeat("x", 300_000)), Stdout: &out,
	})
	if !exit.Ok() || out.Len() != 300_000+len("after\n") {
		t.Errorf("got %d bytes, exit %+v", out.Len(), exit)
	}
}

func TestStdinIsEndOfFileUnlessGiven(t *testing.T) {
	sb := piped(t)
	var out bytes.Buffer
	exit := sh(t, sb, sandbox.Command{ID: "p", Script: `cat; echo eof`, Stdout: &out})
	if !exit.Ok() || out.String() != "eof\n" {
		t.Errorf("got %q, exit %+v", out.String(), exit)
	}
}

func TestAStdinThatBlocksDoesNotHoldUpTheExit(t *testing.T) {
	sb := piped(t)
	never, w := io.Pipe()
	defer func() { _ = w.Close() }()
	if exit := sh(t, sb, sandbox.Command{ID: "p", Script: `exit 7`, Stdin: never}); exit.Code != 7 {
		t.Errorf("exit: got %+v", exit)
	}
}

func TestAReadWriteThatFailsDiscardsTheRest(t *testing.T) {
	sb := piped(t)
	exit := sh(t, sb, sandbox.Command{ID: "p", Script: `head -c 3000000 /dev/zero; exit 4`, Stdout: broken{}})
	if exit.Code != 4 {
		t.Errorf("exit: got %+v", exit)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

func TestSignalReachesTheProcess(t *testing.T) {
	sb := piped(t)
	out := newWatched()
	p, err := sb.Start(t.Context(), sandbox.Command{
		ID: "p", Script: `trap 'echo got; exit 5' USR1; echo ready; while :; do sleep 0.02; done`, Stdout: out,
	})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "ready")
	if err := p.Signal(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(t.Context()); err != nil || exit.Code != 5 {
		t.Errorf("got %+v, %v", exit, err)
	}
	if _, err := p.Wait(t.Context()); err != nil {
		t.Errorf("second wait: %v", err)
	}
	if err := p.Resize(t.Context(), sandbox.Size{}); !errors.Is(err, sandbox.Unsupported) {
		t.Errorf("resize without terminal: got %v", err)
	}
}

func TestTheEndOfTheContextKillsWhatIsNotDetached(t *testing.T) {
	for _, detached := range []bool{false, true} {
		sb := piped(t)
		ctx, cancel := context.WithCancel(t.Context())
		p, err := sb.Start(ctx, sandbox.Command{ID: "p", Script: "sleep 60", Detached: detached})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		exit, err := p.Wait(ctx)
		if !errors.Is(err, sandbox.Canceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("wait with a context that has ended: got %+v, %v", exit, err)
		}
		exit, err = p.Wait(t.Context())
		alive, aliveErr := sb.Alive(t.Context(), "p")
		if aliveErr != nil {
			t.Fatal(aliveErr)
		}
		if !detached {
			if err != nil || exit.Signal == 0 || alive != sandbox.AliveNo {
				t.Errorf("not detached: got %+v, %v, alive %s", exit, err, alive)
			}
			continue
		}
		if !errors.Is(err, sandbox.Unavailable) || exit.Reason != sandbox.ReasonUnknown || alive != sandbox.AliveYes {
			t.Errorf("detached: got %+v, %v, alive %s", exit, err, alive)
		}
		if err := sb.Kill(t.Context(), "p", 0); err != nil {
			t.Error(err)
		}
	}
}

func TestCloseKillsAndAwaits(t *testing.T) {
	sb := piped(t)
	p, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: "trap '' TERM; while :; do sleep 0.05; done"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if alive, err := sb.Alive(t.Context(), "p"); err != nil || alive != sandbox.AliveNo {
		t.Errorf("alive %s, %v", alive, err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestExecCollectsAndTruncates(t *testing.T) {
	sb := piped(t)
	if _, ok := sb.(sandbox.Execer); !ok {
		t.Fatal("a remote sandbox must be an Execer")
	}
	out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{
		ID: "p", Script: `cat; echo err >&2; exit 2`, Stdin: strings.NewReader("in"),
	})
	want := sandbox.Output{
		Stdout: []byte("in"), Stderr: []byte("err\n"), Exit: sandbox.Exit{Code: 2, Reason: sandbox.ReasonExited},
	}
	if diff := cmp.Diff(want, out); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	out, err = sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "q", Script: `head -c 9000000 /dev/zero; exit 1`})
	if err != nil || len(out.Stdout) != sandbox.CollectLimit || !out.Truncated || out.Exit.Code != 1 {
		t.Errorf("got %d bytes, truncated %v, exit %+v, %v", len(out.Stdout), out.Truncated, out.Exit, err)
	}
}

func TestExecTakesStdinOfAnySize(t *testing.T) {
	out, err := sandbox.Exec(t.Context(), piped(t), sandbox.Command{
		ID: "p", Argv: []string{"wc", "-c"}, Stdin: io.LimitReader(zeros{}, 5_000_000),
	})
	if err != nil || strings.TrimSpace(string(out.Stdout)) != "5000000" {
		t.Errorf("got %q, %v", out.Stdout, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestExecKillsBeforeItReturnsWhenTheContextEnds(t *testing.T) {
	sb := piped(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: "p", Script: "sleep 60"})
	if !errors.Is(err, sandbox.TimedOut) {
		t.Errorf("got %v, want class timed_out", err)
	}
	if alive, err := sb.Alive(t.Context(), "p"); err != nil || alive != sandbox.AliveNo {
		t.Errorf("alive %s, %v", alive, err)
	}
}
