package proctree

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

// The starter is another process, which is gone when its trees are reaped.
func TestWhatADeadStarterBoundIsReaped(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		bound, free := t.TempDir(), t.TempDir()
		for verb, beats := range map[string]string{"start-bound": bound, "start": free} {
			cmd := another(t, verb, f, verb, "sh", "-c", leakcheck.Script, "sh", beats)
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
				t.Fatal(err)
			}
		}
		mine := shell("mine", "sleep 1000")
		mine.Bound = true
		tree, err := f.Start(t.Context(), mine)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := f.Reap(t.Context())
		if err != nil || !slices.Equal(ids, []string{"start-bound"}) {
			t.Errorf("reaped %q %v", ids, err)
		}
		if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(bound), quiet); err != nil || len(live) > 0 {
			t.Errorf("left %q %v", live, err)
		}
		if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(free), leakcheck.Names()...); err != nil {
			t.Errorf("what wasn't bound was touched: %v", err)
		}
		if l, err := f.Alive(t.Context(), "mine"); err != nil || l != Yes {
			t.Errorf("what a living starter bound was touched: %v %v", l, err)
		}
		if err := f.Close(t.Context(), 0); err != nil {
			t.Error(err)
		}
		<-tree.Done()
	})
}

func TestWhoIsAnOrphan(t *testing.T) {
	me := *thisStarter()
	other, later, elsewhere := me, me, me
	other.PID = 1 << 30
	later.Start--
	elsewhere.PID, elsewhere.Space = 1<<30, "pid:[1]"
	got := map[string]bool{}
	for name, r := range map[string]record{
		"not bound": {Boot: "now"}, "of this program": {Boot: "now", Starter: &me}, "of one that is gone": {Boot: "now", Starter: &other},
		"of one whose pid is another's now": {Boot: "now", Starter: &later}, "of another namespace": {Boot: "now", Starter: &elsewhere},
		"of an earlier boot": {Boot: "before", Starter: &me}, "of an earlier boot, not bound": {Boot: "before"},
	} {
		got[name] = r.orphan("now", me.Space)
	}
	want := map[string]bool{
		"not bound": false, "of this program": false, "of one that is gone": true, "of one whose pid is another's now": true,
		"of another namespace": false, "of an earlier boot": true, "of an earlier boot, not bound": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A record can be forged by what runs in the tree: one that names a tree which
// isn't its own ends nothing.
func TestARecordUnderAnotherNameReapsNothing(t *testing.T) {
	f := open(t, t.TempDir(), Options{MarksOnly: true})
	start(t, f, "agent", "sleep 1000")
	h, err := f.claim(t.Context(), "forged")
	if err != nil {
		t.Fatal(err)
	}
	err = h.write(record{ID: []byte("agent"), Boot: bootID(), Starter: &starter{ident: ident{PID: 1 << 30}, Space: pidSpace()}})
	h.release()
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := f.Reap(t.Context()); err != nil || len(ids) > 0 {
		t.Errorf("reaped %q %v", ids, err)
	}
	if l, err := f.Alive(t.Context(), "agent"); err != nil || l != Yes {
		t.Errorf("%v %v", l, err)
	}
	if err := os.Remove(f.recordPath("forged")); err != nil {
		t.Error(err)
	}
}
