//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// allBut is a provider that may not signal one process, or send KILL, as with
// another user's processes. It prints its log and what came of it.
func allBut(ctx context.Context, verb, home, id string, args []string) error {
	log := hclog.New(&hclog.LoggerOptions{Output: os.Stdout, DisableTime: true})
	p, err := configure(config{}, sdk.Host{Home: home, Owner: "me", Log: log}, os.Environ())
	if err != nil {
		return err
	}
	p.trees.MarksOnly = true
	if verb == "destroy-all-but" {
		pid, err := strconv.Atoi(args[0])
		if err == nil {
			err = leakcheck.Shield(pid)
		}
		if err != nil {
			return err
		}
		fmt.Println("error:", p.Destroy(ctx, id))
		return nil
	}
	if err := leakcheck.ShieldAll(unix.SIGKILL); err != nil {
		return err
	}
	sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err != nil {
		return err
	}
	out, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: "p", Script: args[0], Timeout: time.Second})
	fmt.Printf("exit %d %s, left %q, message %q, error: %v\n", out.Exit.Code, out.Exit.Reason, out.Exit.Left, out.Exit.Message, err)
	return nil
}

// besides runs the verb in another process of this program.
func besides(t *testing.T, p *provider, verb, id string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(deadline(t, 30*time.Second), os.Args[0], append([]string{p.home, id}, args...)...)
	cmd.Env = append(os.Environ(), "LOCALPROCESS_TEST="+verb)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", verb, err, out)
	}
	return string(out)
}

func marked(t *testing.T) (*provider, *box) {
	t.Helper()
	p := newTest(t, config{})
	p.trees = proctree.Options{MarksOnly: true}
	return p, create(t, p)
}

func wants(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q isn't in:\n%s", w, text)
		}
	}
}

func TestADestroyThatCannotEndAProcessSaysWhichAndCanBeTriedAgain(t *testing.T) {
	p, b := marked(t)
	beats := t.TempDir()
	begin(t, b, sandbox.Command{
		ID: "agent", Detached: true,
		Argv: []string{"sh", "-c", `sleep 77777 & echo $! >"$1/pid.new"; mv "$1/pid.new" "$1/pid"; exec sh -c "$2" sh "$1"`, "sh", beats, leakcheck.Script},
	})
	if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(beats, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(text))
	out := besides(t, p, "destroy-all-but", b.id, pid)
	wants(t, out, "[WARN]", "process couldn't be ended: sandbox="+b.id+" pid="+pid+" program=sleep",
		"error: end what runs in it: 1 process couldn't be ended: "+pid+" sleep", "sudo kill -9 "+pid)
	if strings.Contains(out, "77777") {
		t.Errorf("arguments are told:\n%s", out)
	}
	if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), 100*time.Millisecond); err != nil || len(live) > 0 {
		t.Errorf("kept alive: %q %v", live, err)
	}
	if list, err := p.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("the sandbox is lost: %v %v", list, err)
	}
	if err := p.Destroy(t.Context(), b.id); err != nil {
		t.Errorf("the next try: %v", err)
	}
	if procs, err := leakcheck.Processes(beats); err != nil || len(procs) > 0 {
		t.Errorf("left %v %v", procs, err)
	}
}

func TestACommandThatCannotBeEndedIsNotWaitedForForEver(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"in its timeout", `trap "" TERM; while :; do sleep 0.05; done`, []string{"exit -1 timed_out", "message \"kill process p: ", "process couldn't be ended"}},
		{"left by it", `(trap "" TERM; while :; do sleep 0.05; done) & sleep 0.1; exit 3`, []string{"exit 3 exited", "left \"", "kill process p: ", "couldn't be ended", "error: <nil>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, b := marked(t)
			out := besides(t, p, "run-all-but", b.id, c.script)
			wants(t, out, append(c.want, "[WARN]")...)
			if err := b.Kill(t.Context(), "p", 0); err != nil {
				t.Error(err)
			}
		})
	}
}
