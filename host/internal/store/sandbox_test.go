package store

import (
	"testing"
	"time"
)

var sandboxChecks = map[string]check{
	"a row goes from creating to deleted": func(t *testing.T, open func() *Store) {
		s, ctx := open(), t.Context()
		b := SandboxRow{
			Key: "k1", SetupKey: "s1", Type: "docker", Config: []byte(`{"image":"x"}`), Spec: []byte(`{}`), Block: "dev",
			Project: "p", Thread: "t", Run: "r", State: Creating, Created: now().Add(-time.Hour), Used: now().Add(-time.Hour),
		}
		must(t, s.PutSandbox(ctx, b))
		same(t, "row", got[SandboxRow](t)(open().Sandbox(ctx, "k1")), b)
		must(t, s.SetSandboxID(ctx, "k1", "id1"))
		must(t, s.SetSandboxState(ctx, "k1", Ready))
		must(t, s.TouchSandbox(ctx, "k1"))
		after := got[SandboxRow](t)(s.SandboxByID(ctx, "id1"))
		if after.Used.Before(b.Used.Add(time.Minute)) {
			t.Errorf("used at %v", after.Used)
		}
		b.ID, b.State, b.Used = "id1", Ready, after.Used
		same(t, "row", after, b)
		b.Block = "other"
		must(t, s.PutSandbox(ctx, b))
		same(t, "all", got[[]SandboxRow](t)(s.Sandboxes(ctx)), []SandboxRow{b})
		must(t, s.DeleteSandbox(ctx, "k1"))
		must(t, s.DeleteSandbox(ctx, "k1"))
		_, err := s.Sandbox(ctx, "k1")
		wantErr(t, err, ErrNotFound)
	},
	"what isn't there can't be changed": func(t *testing.T, open func() *Store) {
		s, ctx := open(), t.Context()
		wantErr(t, s.SetSandboxID(ctx, "x", "y"), ErrNotFound)
		wantErr(t, s.SetSandboxState(ctx, "x", Ready), ErrNotFound)
		wantErr(t, s.TouchSandbox(ctx, "x"), ErrNotFound)
		_, err := s.SandboxByID(ctx, "")
		wantErr(t, err, ErrNotFound)
		if err := s.PutSandbox(ctx, SandboxRow{Key: "x", State: "odd"}); err == nil {
			t.Error("put in an unknown state")
		}
	},
	"a sandbox is found by id, block, or the start of id, key or resource name": func(t *testing.T, open func() *Store) {
		s := open()
		for i, b := range []SandboxRow{
			{Key: "aaaa1", ID: "c-100", Block: "dev", State: Ready},
			{Key: "aaab2", ID: "c-200", Block: "ci", State: Ready},
			{Key: "bbbb3", ID: "d-300", Block: "ci", State: Creating},
			{Key: "cccc4", ID: "d-400", Block: "dev", State: Gone},
			{Key: "dev55", ID: "e-500", Block: "x", State: Ready},
		} {
			b.Created = time.UnixMilli(int64(1000 - i)).UTC()
			must(t, s.PutSandbox(t.Context(), b))
		}
		for ref, want := range map[string][]string{
			"c-100":        {"aaaa1"},
			"c-1":          {"aaaa1"},
			"c-":           {"aaaa1", "aaab2"},
			"aaa":          {"aaaa1", "aaab2"},
			"bbbb3":        {"bbbb3"},
			"sandlot-bb":   {"bbbb3"},
			"dev":          {"aaaa1"},
			"dev5":         {"dev55"},
			"ci":           {"aaab2", "bbbb3"},
			"d-400":        {"cccc4"},
			"d-4":          nil,
			"c_1":          nil,
			"":             nil,
			"sandlot-zzzz": nil,
		} {
			var keys []string
			for _, b := range got[[]SandboxRow](t)(s.FindSandboxes(t.Context(), ref)) {
				keys = append(keys, b.Key)
			}
			same(t, "found by "+ref, keys, want)
		}
	},
}

var leaseChecks = map[string]check{
	"a lease is one owner's until it is over or released": func(t *testing.T, open func() *Store) {
		s, ctx := open(), t.Context()
		acquire := func(owner string, ttl time.Duration) (bool, string) {
			ok, holder, err := open().Acquire(ctx, "l", owner, ttl)
			must(t, err)
			return ok, holder
		}
		expect := func(owner string, ttl time.Duration, wantOK bool, wantHolder string) {
			t.Helper()
			if ok, holder := acquire(owner, ttl); ok != wantOK || holder != wantHolder {
				t.Fatalf("%s: %v, held by %s", owner, ok, holder)
			}
		}
		expect("ann", time.Minute, true, "ann")
		expect("bob", time.Minute, false, "ann")
		expect("ann", -time.Millisecond, true, "ann")
		same(t, "holder of a lease that is over", got[string](t)(s.LeaseHolder(ctx, "l")), "")
		must(t, s.RenewLease(ctx, "l", "ann", -time.Millisecond))
		expect("bob", time.Minute, true, "bob")
		wantErr(t, s.RenewLease(ctx, "l", "ann", time.Minute), ErrFenced)
		must(t, s.ReleaseLease(ctx, "l", "ann"))
		same(t, "holder", got[string](t)(s.LeaseHolder(ctx, "l")), "bob")
		must(t, s.ReleaseLease(ctx, "l", "bob"))
		wantErr(t, s.RenewLease(ctx, "l", "bob", time.Minute), ErrFenced)
		expect("ann", time.Minute, true, "ann")
	},
	"of eight who acquire at once exactly one gets it": func(t *testing.T, open func() *Store) {
		stores := []*Store{open(), open()}
		wins := make(chan bool, 8)
		for i := range cap(wins) {
			go func() {
				ok, _, err := stores[i%2].Acquire(t.Context(), "l", string(rune('a'+i)), time.Minute)
				if err != nil {
					t.Error(err)
				}
				wins <- ok
			}()
		}
		won := 0
		for range cap(wins) {
			if <-wins {
				won++
			}
		}
		same(t, "winners", won, 1)
	},
}
