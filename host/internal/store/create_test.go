package store

import (
	"errors"
	"testing"
	"time"
)

var createChecks = map[string]check{
	"a new run is pending and has its first events": func(t *testing.T, open func() *Store) {
		s := open()
		before := now()
		run := got[Run](t)(s.CreateRun(t.Context(), NewRun{
			ID: "r1", ThreadName: "t1", Harness: "acp", Project: "p", Key: "k", Spec: []byte(`{"a":1}`),
			Events: []Event{{Source: Host, Payload: []byte(`{"type":"RUN_STARTED"}`)}, {Source: Host, Payload: []byte(`{}`)}},
		}))
		if run.Created.Before(before) || len(run.HashKey) != 32 || run.Thread == "" {
			t.Errorf("run is %+v", run)
		}
		want := Run{
			ID: "r1", Thread: run.Thread, ThreadName: "t1", Project: "p", Harness: "acp", Key: "k",
			Spec: []byte(`{"a":1}`), Status: Pending, Created: run.Created, HashKey: run.HashKey,
		}
		same(t, "run", run, want)
		same(t, "run as read", got[Run](t)(s.Run(t.Context(), "r1")), want)
		same(t, "events", payloads(log(t, s, "r1")), []string{`{"type":"RUN_STARTED"}`, `{}`})
	},
	"a taken id is refused and changes nothing": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r1")
		_, err := s.CreateRun(t.Context(), NewRun{ID: "r1", ThreadName: "new", Project: "p"})
		wantErr(t, err, ErrExists)
		_, err = s.Thread(t.Context(), "p", "new")
		wantErr(t, err, ErrNotFound)
	},
	"a second run on a thread is refused until the first ends, and told which holds it": func(t *testing.T, open func() *Store) {
		s := open()
		n := NewRun{ID: "r1", ThreadName: "t", Project: "p"}
		got[Run](t)(s.CreateRun(t.Context(), n))
		n.ID = "r2"
		_, err := open().CreateRun(t.Context(), n)
		var busy *ThreadBusyError
		if !errors.As(err, &busy) || *busy != (ThreadBusyError{Thread: "t", Run: "r1"}) {
			t.Fatalf("error is %v", err)
		}
		must(t, s.AbandonPending(t.Context(), "r1", Outcome{Status: Failed}, nil))
		got[Run](t)(s.CreateRun(t.Context(), n))
	},
	"the same thread name in two projects is two threads": func(t *testing.T, open func() *Store) {
		s := open()
		a := got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "r1", ThreadName: "t", Project: "p"}))
		b := got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "r2", ThreadName: "t", Project: "q"}))
		if a.Thread == b.Thread {
			t.Fatal("one thread for both")
		}
	},
	"a thread continued with another harness forgets its session": func(t *testing.T, open func() *Store) {
		s := open()
		n := NewRun{ID: "r1", ThreadName: "t", Harness: "acp", Project: "p"}
		run := got[Run](t)(s.CreateRun(t.Context(), n))
		must(t, s.SetThreadSession(t.Context(), run.Thread, "session", "/dir"))
		for _, step := range []struct{ id, harness, session string }{{"r2", "acp", "session"}, {"r3", "codex", ""}} {
			must(t, s.AbandonPending(t.Context(), n.ID, Outcome{Status: Failed}, nil))
			n.ID, n.Harness = step.id, step.harness
			got[Run](t)(s.CreateRun(t.Context(), n))
			thread := got[Thread](t)(s.ThreadByID(t.Context(), run.Thread))
			if thread.Harness != step.harness || thread.Session != step.session {
				t.Fatalf("thread is %+v after run %s", thread, step.id)
			}
		}
	},
	"names that could leave a folder are refused": func(t *testing.T, open func() *Store) {
		s := open()
		for _, id := range []string{"", "../x", ".x", "a/b", string(make([]byte, 65))} {
			if _, err := s.CreateRun(t.Context(), NewRun{ID: id}); err == nil {
				t.Errorf("run %q was made", id)
			}
		}
	},
	"of runs made at once on one thread exactly one is": func(t *testing.T, open func() *Store) {
		stores := []*Store{open(), open()}
		errs := make(chan error, 8)
		for i := range cap(errs) {
			go func() {
				_, err := stores[i%2].CreateRun(t.Context(), NewRun{ID: string(rune('a' + i)), ThreadName: "t", Project: "p"})
				errs <- err
			}()
		}
		made := 0
		for range cap(errs) {
			err := <-errs
			var busy *ThreadBusyError
			if err == nil {
				made++
			} else if !errors.As(err, &busy) {
				t.Error(err)
			}
		}
		if made != 1 {
			t.Fatalf("%d runs made", made)
		}
	},
}

var findChecks = map[string]check{
	"runs are listed newest first, and filtered": func(t *testing.T, open func() *Store) {
		s := open()
		for _, n := range []NewRun{
			{ID: "a1", ThreadName: "t", Project: "p"},
			{ID: "a2", ThreadName: "u", Project: "p"},
			{ID: "b1", ThreadName: "t", Project: "q"},
		} {
			got[Run](t)(s.CreateRun(t.Context(), n))
		}
		got[int64](t)(s.Claim(t.Context(), "a2", me, time.Minute, nil))
		for _, tc := range []struct {
			name   string
			filter RunFilter
			want   []string
		}{
			{"all", RunFilter{}, []string{"b1", "a2", "a1"}},
			{"of a project", RunFilter{Project: "p"}, []string{"a2", "a1"}},
			{"of a thread", RunFilter{Project: "p", Thread: "t"}, []string{"a1"}},
			{"running", RunFilter{Status: Running}, []string{"a2"}},
			{"limited", RunFilter{Limit: 1}, []string{"b1"}},
			{"none", RunFilter{Project: "x"}, nil},
		} {
			var ids []string
			for _, r := range got[[]Run](t)(s.Runs(t.Context(), tc.filter)) {
				ids = append(ids, r.ID)
			}
			same(t, tc.name, ids, tc.want)
		}
	},
	"a run is found by a unique start of its id": func(t *testing.T, open func() *Store) {
		s := open()
		for _, id := range []string{"abc", "abcd", "abxx", "zzz", "a.c"} {
			pending(t, s, id)
		}
		for prefix, want := range map[string]string{"abcd": "abcd", "abc": "abc", "abx": "abxx", "z": "zzz", "a.": "a.c"} {
			same(t, prefix, got[Run](t)(s.FindRun(t.Context(), prefix)).ID, want)
		}
		for _, prefix := range []string{"", "q", "abcde", "a_c", "%"} {
			_, err := s.FindRun(t.Context(), prefix)
			wantErr(t, err, ErrNotFound)
		}
		_, err := s.FindRun(t.Context(), "ab")
		var ambiguous *AmbiguousError
		if !errors.As(err, &ambiguous) {
			t.Fatalf("error is %v", err)
		}
		same(t, "candidates", ambiguous.Candidates, []string{"abxx", "abcd", "abc"})
	},
	"the last thread is the one with the newest run": func(t *testing.T, open func() *Store) {
		s := open()
		_, err := s.LastThread(t.Context(), "p")
		wantErr(t, err, ErrNotFound)
		last := func() string { return got[Thread](t)(s.LastThread(t.Context(), "p")).Name }
		pending(t, s, "first")
		pending(t, s, "second")
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "r", ThreadName: "elsewhere", Project: "q"}))
		same(t, "last", last(), "second")
		must(t, s.AbandonPending(t.Context(), "first", Outcome{Status: Failed}, nil))
		before := now()
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "r2", ThreadName: "first", Project: "p"}))
		same(t, "last", last(), "first")
		if used := got[Thread](t)(s.Thread(t.Context(), "p", "first")).Used; used.Before(before) {
			t.Errorf("used at %v", used)
		}
	},
	"what isn't there is not found": func(t *testing.T, open func() *Store) {
		s, ctx := open(), t.Context()
		_, err := s.Run(ctx, "x")
		wantErr(t, err, ErrNotFound)
		_, err = s.Thread(ctx, "p", "x")
		wantErr(t, err, ErrNotFound)
		_, err = s.ThreadByID(ctx, "x")
		wantErr(t, err, ErrNotFound)
		wantErr(t, s.SetThreadSession(ctx, "x", "s", "d"), ErrNotFound)
		_, err = s.Claim(ctx, "x", me, time.Minute, nil)
		wantErr(t, err, ErrNotFound)
		_, err = s.Append(ctx, "x", 1, texts(1))
		wantErr(t, err, ErrNotFound)
		_, err = s.CancelRequested(ctx, "x")
		wantErr(t, err, ErrNotFound)
		_, err = s.RequestCancel(ctx, "x")
		wantErr(t, err, ErrNotFound)
		_, err = s.Approval(ctx, "x", "x")
		wantErr(t, err, ErrNotFound)
	},
}
