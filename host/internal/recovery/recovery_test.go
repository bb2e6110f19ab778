package recovery_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestACallUnderWhichThePluginDied(t *testing.T) {
	files := func(sb sandbox.Sandbox) sandbox.Files { return sb.(sandbox.Filer).Files() }
	cases := []struct {
		name   string
		deadly string // the call that the plugin dies under, once
		call   func(ctx context.Context, sb sandbox.Sandbox) error
		fails  string // what the error says; empty: it is made once more
		want   string // calls after the death
	}{
		{"stat is made once more", "stat", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := files(sb).Stat(ctx, "x")
			return err
		}, "", "1 close\n2 resume box map[A:1]\n2 stat"},
		{"a list is", "ls", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := files(sb).List(ctx, "x")
			return err
		}, "", "1 close\n2 resume box map[A:1]\n2 ls"},
		{
			"kill is", "kill a", func(ctx context.Context, sb sandbox.Sandbox) error { return sb.Kill(ctx, "a", 0) },
			"", "1 close\n2 resume box map[A:1]\n2 kill a",
		},
		{"alive is", "alive a", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.Alive(ctx, "a")
			return err
		}, "", "1 close\n2 resume box map[A:1]\n2 alive a"},
		{
			"a rename isn't", "rename", func(ctx context.Context, sb sandbox.Sandbox) error { return files(sb).Rename(ctx, "x", "y") },
			"rename: plugin 1 was killed", "",
		},
		{"a write of what can be wound back is", "write", func(ctx context.Context, sb sandbox.Sandbox) error {
			r := bytes.NewReader([]byte("head body"))
			_, _ = r.Seek(5, io.SeekStart)
			return files(sb).Write(ctx, "x", r, sandbox.WriteOptions{})
		}, "", "1 close\n2 resume box map[A:1]\n2 got \"body\"\n2 write"},
		{"a write of a stream isn't", "write", func(ctx context.Context, sb sandbox.Sandbox) error {
			return files(sb).Write(ctx, "x", io.MultiReader(strings.NewReader("body")), sandbox.WriteOptions{})
		}, "write: plugin 1 was killed", ""},
		{"a push of a stream of which nothing was taken is", "push", func(ctx context.Context, sb sandbox.Sandbox) error {
			return files(sb).Push(ctx, "x", io.MultiReader())
		}, "", "1 close\n2 resume box map[A:1]\n2 got \"\"\n2 push"},
		{"a pull before its first byte is", "pull", func(ctx context.Context, sb sandbox.Sandbox) error {
			return files(sb).Pull(ctx, "x", io.Discard)
		}, "", "1 close\n2 resume box map[A:1]\n2 pull\n2 pulled"},
		{"a pull after it isn't", "pulled", func(ctx context.Context, sb sandbox.Sandbox) error {
			return files(sb).Pull(ctx, "x", io.Discard)
		}, "pulled: plugin 1 was killed", ""},
		{"a port is looked for once more", "port 80", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.(sandbox.Porter).Port(ctx, 80)
			return err
		}, "", "1 close\n2 resume box map[A:1]\n2 port 80"},
		{
			"a keep-alive is made once more", "keep 1m0s",
			func(ctx context.Context, sb sandbox.Sandbox) error {
				return sb.(sandbox.Keeper).KeepAlive(ctx, time.Minute)
			},
			"", "1 close\n2 resume box map[A:1]\n2 keep 1m0s",
		},
		{"a snapshot isn't", "snapshot x", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.(sandbox.Snapshotable).Snapshot(ctx, sandbox.SnapshotRequest{Label: "x"})
			return err
		}, "snapshot x: plugin 1 was killed; there may be a snapshot of it", ""},
		{"a fork with a key is", "fork as key", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.(sandbox.Forker).Fork(ctx, sandbox.CreateRequest{Key: "key"})
			return err
		}, "", "1 close\n2 resume box map[A:1]\n2 fork as key"},
		{"a fork outlives its plugin too", "alive a", func(ctx context.Context, sb sandbox.Sandbox) error {
			copied, err := sb.(sandbox.Forker).Fork(ctx, sandbox.CreateRequest{Env: map[string]string{"B": "2"}})
			if err == nil {
				_, err = copied.Alive(ctx, "a")
			}
			return err
		}, "", "1 close\n2 resume box map[B:2]\n2 alive a"},
		{"one without isn't", "fork as ", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.(sandbox.Forker).Fork(ctx, sandbox.CreateRequest{})
			return err
		}, "fork as : plugin 1 was killed", ""},
		{"an exec isn't, and is ended", "exec a", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: "a"})
			return err
		}, "exec a: plugin 1 was killed; what was left of it was ended", "1 close\n2 resume box map[]\n2 kill a"},
		{"a start isn't, and is ended", "start a", func(ctx context.Context, sb sandbox.Sandbox) error {
			_, err := sb.Start(ctx, sandbox.Command{ID: "a"})
			return err
		}, "start a: plugin 1 was killed; what was left of it was ended", "1 close\n2 resume box map[]\n2 kill a"},
		{"a process that is waited for is ended", "wait a", func(ctx context.Context, sb sandbox.Sandbox) error {
			p, err := sb.Start(ctx, sandbox.Command{ID: "a"})
			if err != nil {
				return err
			}
			exit, err := p.Wait(ctx)
			if exit.Reason != sandbox.ReasonUnknown {
				t.Errorf("exit: got %+v", exit)
			}
			return err
		}, "wait a: plugin 1 was killed; what was left of it was ended", "1 close\n2 resume box map[]\n2 kill a"},
		{"a detached one goes on", "wait a", func(ctx context.Context, sb sandbox.Sandbox) error {
			p, err := sb.Start(ctx, sandbox.Command{ID: "a", Detached: true})
			if err != nil {
				return err
			}
			_, err = p.Wait(ctx)
			return err
		}, "wait a: plugin 1 was killed", ""},
		{"a process that is let go of is ended", "let go a", func(ctx context.Context, sb sandbox.Sandbox) error {
			p, err := sb.Start(ctx, sandbox.Command{ID: "a"})
			if err != nil {
				return err
			}
			return p.Close()
		}, "", "1 close\n2 resume box map[]\n2 kill a"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{deadly: map[string]int{c.deadly: 1}}
				sb := w.box(t)
				err := c.call(t.Context(), sb)
				switch {
				case c.fails == "" && err != nil, c.fails != "" && (err == nil || err.Error() != c.fails):
					t.Errorf("got %v, want %q", err, c.fails)
				case c.fails != "" && !errors.Is(err, sandbox.Unavailable):
					t.Errorf("got class %s", sandbox.ClassOf(err))
				}
				_, after, _ := strings.Cut(w.noted(), "1 "+c.deadly)
				if diff := cmp.Diff(c.want, strings.TrimSpace(after)); diff != "" {
					t.Errorf("calls after the death (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAProvidersOwnCallsAreMadeOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"list": 1, "destroy box": 1, "create key": 1}}
		p := w.provider(t)
		if list, err := p.List(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("list: %v, %v", list, err)
		}
		if err := p.Destroy(t.Context(), "box"); err != nil {
			t.Error(err)
		}
		if _, err := p.Create(t.Context(), sandbox.CreateRequest{Key: "key"}); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"plugin 1 was killed", "plugin 2 was killed", "plugin 3 was killed"}, w.restarts); diff != "" {
			t.Errorf("restarts (-want +got):\n%s", diff)
		}
	})
}

func TestCallsOnSnapshotsAreMadeOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"snapshots": 1, "delete snap": 1, "restore snap as key": 1}}
		p, err := sandbox.AsProvider[sandbox.Snapshotter](w.provider(t))
		if err != nil {
			t.Fatal(err)
		}
		if list, err := p.Snapshots(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("list: %v, %v", list, err)
		}
		if err := p.DeleteSnapshot(t.Context(), "snap"); err != nil {
			t.Error(err)
		}
		if sb, err := p.Restore(t.Context(), "snap", sandbox.CreateRequest{Key: "key"}); err != nil || sb.ID() != "box" {
			t.Errorf("restore: %v, %v", sb, err)
		}
		if w.lives != 4 {
			t.Errorf("%d lives", w.lives)
		}
	})
}

func TestAPluginThatDiesAtEveryStartIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"list": 1}, stillborn: 100}
		p := w.provider(t)
		began := time.Now()
		_, err := p.List(t.Context())
		want := "plugin 4 was killed; it was started anew 3 times and is given up"
		if err == nil || err.Error() != want || !errors.Is(err, sandbox.Unavailable) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if took := time.Since(began); took != 6200*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		if p.Err() == nil {
			t.Error("Err doesn't tell of it")
		}
		if _, err := p.List(t.Context()); err == nil || w.lives != 4 {
			t.Errorf("once more: %v, %d lives", err, w.lives)
		}
	})
}

func TestTheSecondDeathUnderOneCallIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"list": 2}}
		p := w.provider(t)
		if _, err := p.List(t.Context()); err == nil || err.Error() != "list: plugin 2 was killed" {
			t.Errorf("got %v", err)
		}
		if _, err := p.List(t.Context()); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}

func TestDeathsAreForgottenAfterAQuietTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"list": 10}}
		p := w.provider(t)
		for range 5 {
			_, _ = p.List(t.Context()) // two deaths each
			<-time.After(2 * time.Minute)
		}
		if _, err := p.List(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAStartThatIsRefusedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"list": 1}, refuses: sandbox.Errorf(sandbox.Unauthenticated, "the token has run out")}
		if _, err := w.provider(t).List(t.Context()); !errors.Is(err, sandbox.Unauthenticated) || w.lives != 2 {
			t.Errorf("got %v after %d starts", err, w.lives)
		}
	})
}

func TestABackendOutOfReachIsNoDeath(t *testing.T) {
	w := &world{away: true}
	if _, err := w.provider(t).List(t.Context()); err == nil || err.Error() != "list: no route to host" || w.lives != 1 {
		t.Errorf("got %v after %d starts", err, w.lives)
	}
}

func TestWhatCannotBeEndedIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"exec a": 1}, undead: true}
		_, err := sandbox.Exec(t.Context(), w.box(t), sandbox.Command{ID: "a"})
		want := "exec a: plugin 1 was killed; what was left of it may still run in sandbox box: a won't die"
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

func TestCloseEndsWhatADeadPluginHadOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"signal a": 1}}
		p := w.provider(t)
		sb, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: "box"})
		if err != nil {
			t.Fatal(err)
		}
		proc, err := sb.Start(t.Context(), sandbox.Command{ID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		_ = proc.Signal(t.Context(), 1)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(w.noted(), "1 signal a\n1 close\n2 resume box map[]\n2 kill a\n2 close") {
			t.Errorf("calls:\n%s", w.noted())
		}
		if _, err := p.List(t.Context()); !errors.Is(err, sandbox.Canceled) {
			t.Errorf("a call after Close: %v", err)
		}
	})
}

func TestTimeThatIsUpLeavesTheDeathToBeTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{deadly: map[string]int{"list": 1}, stillborn: 100}
		p := w.provider(t)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := p.List(ctx); err == nil || !strings.Contains(err.Error(), "was killed") {
			t.Errorf("got %v", err)
		}
	})
}

func TestWorkIsBegunAnewAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			name  string
			dies  int // of so many attempts
			times int
			ok    bool
		}{{"once", 1, 2, true}, {"thrice", 3, 4, true}, {"always", 100, 4, false}} {
			w := &world{deadly: map[string]int{"start a": c.dies}}
			p := w.provider(t)
			times := 0
			err := p.Whole(t.Context(), func(ctx context.Context) error {
				times++
				sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: "box"})
				if err != nil {
					return err
				}
				_, err = sb.Start(ctx, sandbox.Command{ID: "a"})
				return err
			})
			if (err == nil) != c.ok || times != c.times {
				t.Errorf("%s: %d times, %v", c.name, times, err)
			}
		}
	})
}
