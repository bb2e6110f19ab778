package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProcessesThatOpenANewStoreAtOnceAgreeOnItsOwner(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "home", "store.db")
		owners := map[string]int{}
		for _, p := range spawn(t, 8, "open", path, func(int) []string { return nil }) {
			owners[got[string](t)(p.output())]++
		}
		if len(owners) != 1 {
			t.Fatalf("owners are %v", owners)
		}
	}
}

func TestProcessesAppendAtOnceWithoutErrorOrGap(t *testing.T) {
	const procs, appends = 4, 60
	home := t.TempDir()
	s := openSQLite(t, home)
	shared := claimed(t, s, "shared")
	own := make([]int64, procs)
	for i := range own {
		own[i] = claimed(t, s, fmt.Sprint("own", i))
	}
	// Half of them append to one log: the claim is theirs by the same epoch.
	all := spawn(t, procs, "append", s.Path(), func(i int) []string {
		if i%2 == 0 {
			return []string{"shared", fmt.Sprint(shared), fmt.Sprint(appends)}
		}
		return []string{fmt.Sprint("own", i), fmt.Sprint(own[i]), fmt.Sprint(appends)}
	})
	for range appends {
		got[int64](t)(s.Append(t.Context(), "shared", shared, texts(1)))
	}
	for _, p := range all {
		got[string](t)(p.output())
	}
	same(t, "shared events", len(log(t, s, "shared")), procs/2*appends*3+appends)
	same(t, "own events", len(log(t, s, "own1")), appends*3)
}

func TestOfEightProcessesExactlyOneClaimsARun(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	pending(t, s, "r")
	won := 0
	for _, p := range spawn(t, 8, "claim", s.Path(), func(i int) []string { return []string{"r", fmt.Sprint(i + 1)} }) {
		if out := got[string](t)(p.output()); out == "won 1" {
			won++
		} else if !strings.HasPrefix(out, "held by ") {
			t.Error(out)
		}
	}
	same(t, "winners", won, 1)
}

func TestATailSeesAnotherProcessesEvents(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	tails := spawn(t, 2, "tail", s.Path(), func(int) []string { return []string{"r"} })
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprint(i+1))
		got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1)))
	}
	must(t, s.Finish(t.Context(), "r", epoch, texts(1), Outcome{Status: Completed}))
	want = append(want, "201")
	for _, p := range tails {
		same(t, "seen", strings.Split(got[string](t)(p.output()), "\n"), want)
	}
}

// What a process was told is written stays written; what it was writing when it died is there whole or not at all.
func TestAProcessKilledWhileAppendingLeavesAWholeLog(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	for i := range 12 {
		run := fmt.Sprint("run", i)
		epoch := claimed(t, s, run)
		p := spawn(t, 1, "append", s.Path(), func(int) []string { return []string{run, fmt.Sprint(epoch), "1000000"} })[0]
		acknowledged := 0
		for n := 1 + rand.N(40); n > 0 && p.lines.Scan(); n-- {
			acknowledged = atoi(p.lines.Text())
		}
		deadline := time.Now().Add(time.Duration(rand.N(2000)) * time.Microsecond)
		for time.Now().Before(deadline) && p.lines.Scan() {
			acknowledged = atoi(p.lines.Text())
		}
		must(t, p.cmd.Process.Kill())
		for p.lines.Scan() {
			acknowledged = atoi(p.lines.Text())
		}
		if err := p.cmd.Wait(); err == nil {
			t.Fatal("it wasn't killed")
		}
		n := len(log(t, s, run))
		if n%3 != 0 || n < acknowledged || n > acknowledged+3 {
			t.Fatalf("%d events, %d acknowledged", n, acknowledged)
		}
		// The successor isn't blocked and goes on where the log ends.
		epoch = got[int64](t)(s.Claim(t.Context(), run, other, time.Minute, func(Driver) bool { return true }))
		same(t, "next", got[int64](t)(s.Append(t.Context(), run, epoch, texts(1))), int64(n+1))
	}
	var verdict string
	must(t, s.read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict))
	same(t, "integrity", verdict, "ok")
}
