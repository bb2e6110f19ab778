package providertest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// abreast is how many trees live at a time: each forks 500 times a second.
const abreast = 3

// leaks kills Options.Kills trees and then looks at all of them together: one
// tree that is never killed proves that the look sees.
func leaks(b *bed) {
	const dir = "beats"
	killers := []sandbox.Sandbox{b.sb, b.resume(b.second())}
	state := b.stateFiles()
	b.start(b.sb, b.tree("control", dir+"/control"))
	b.sh(`i=0; while [ $i -lt "$2" ]; do mkdir "$1/$i"; i=$((i+1)); done`, dir, fmt.Sprint(b.suite.opts.Kills))
	b.beating(dir + "/control")

	l := &leaking{bed: b, dir: dir}
	work := make(chan int)
	var all sync.WaitGroup
	for range abreast {
		all.Go(func() {
			for i := range work {
				l.killOne(i, killers[i%2])
			}
		})
	}
	for i := range b.suite.opts.Kills {
		work <- i
	}
	close(work)
	all.Wait()
	b.Logf("%d trees killed, %d of them before Start had returned; %d kills came before there was a process", b.suite.opts.Kills, l.early, l.missed)

	seen := map[string]bool{}
	b.eventually("the look sees all of the tree that wasn't killed", func() bool {
		for _, name := range b.living(dir) {
			seen[name] = true
		}
		return !slices.ContainsFunc(leakcheck.Names(), func(name string) bool { return !seen["control/"+name] })
	})
	if len(seen) > len(leakcheck.Names()) {
		b.Errorf("still beating: %q, want those of the control tree only", slices.Sorted(maps.Keys(seen)))
	}
	b.noError("kill the control tree", killers[1].Kill(b.ctx, "control", 0))
	b.still("after the last Kill", dir)
	b.noError("kill the control beat", killers[1].Kill(b.ctx, "control-beat", 0))
	if b.seesProcesses() {
		word := b.sb.Info().Root + "/" + dir
		if left := b.processes(word); len(left) > 0 {
			b.Errorf("still running: %+v", left)
		}
	}
	if after := b.stateFiles(); after != state {
		b.Errorf("left in the state directory: before %q, after %q", state, after)
	}
	for _, p := range b.suite.plugins {
		b.noZombies(p)
	}
}

// stateFiles lists the state directory. The command that does so may have a
// file there itself: the same each time, as its id is the same.
func (b *bed) stateFiles() string {
	b.Helper()
	r := b.run(sandbox.Command{ID: "state-files", Argv: shell(`find "$1" | sort`, b.sb.Info().StateDir)})
	if !r.exit.Ok() {
		b.Fatalf("list the state directory: %+v %s", r.exit, r.stderr)
	}
	return string(r.stdout)
}

type leaking struct {
	*bed
	dir string

	mu            sync.Mutex
	early, missed int
	took          time.Duration // by the last Start
}

// killOne starts a tree and kills it at a random moment: in one half after all
// of its heartbeats were seen, in the other after Start was called, returned
// or not. It runs in a goroutine, so it may not end the case.
func (l *leaking) killOne(i int, killer sandbox.Sandbox) {
	id, dir := fmt.Sprintf("tree-%d", i), fmt.Sprintf("%s/%s/%d", l.sb.Info().Root, l.dir, i)
	cmd := sandbox.Command{ID: id, Argv: shell(leakcheck.Script, dir), Detached: i%8 < 4}
	grace := time.Duration(i%3) * 50 * time.Millisecond
	returned := make(chan sandbox.Process, 1)
	moment := l.moment(i)
	go func() {
		begin := time.Now()
		p, err := l.sb.Start(l.ctx, cmd)
		l.startTook(time.Since(begin))
		if err != nil {
			// It is killed before it can be said to have started.
			l.Logf("start %s: %v", id, err)
		}
		returned <- p
	}()
	seen := i%4 < 2
	if seen {
		if err := l.awaitTree(dir); err != nil {
			l.Errorf("%s: %v", id, err)
		}
	}
	l.pause(moment)
	early := len(returned) == 0
	if err := killer.Kill(l.ctx, id, grace); err != nil {
		l.Errorf("kill %s: %v", id, err)
	}
	p := <-returned
	l.count(early, l.missedBy(early, killer, id))
	if p == nil {
		if seen {
			l.Errorf("%s: Start failed after its tree was seen", id)
		}
		return
	}
	l.ended(id, p)
}

// moment is when to kill: in a quarter of all cases about as soon as Start
// returns, else within 200 ms.
func (l *leaking) moment(i int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := 200 * time.Millisecond
	if i%4 == 3 && l.took > 0 {
		most = 3 * l.took / 2
	}
	return time.Duration(rand.Int64N(int64(most)))
}

func (l *leaking) startTook(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = d
}

func (l *leaking) awaitTree(dir string) error {
	ctx, cancel := l.patient()
	defer cancel()
	return leakcheck.Await(ctx, Heartbeats(l.sb, dir), leakcheck.Names()...)
}

// missedBy repeats a Kill that may have been answered before there was
// anything to kill. Only a whole tree earns that: once the process itself is
// dead, nothing of it may be left.
func (l *leaking) missedBy(early bool, killer sandbox.Sandbox, id string) bool {
	if !early {
		return false
	}
	alive, err := killer.Alive(l.ctx, id)
	if err != nil {
		l.Errorf("alive %s: %v", id, err)
	}
	if alive == sandbox.AliveNo {
		return false
	}
	if err := killer.Kill(l.ctx, id, 0); err != nil {
		l.Errorf("kill %s again: %v", id, err)
	}
	return true
}

func (l *leaking) ended(id string, p sandbox.Process) {
	ctx, cancel := l.patient()
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil || exit.Reason != sandbox.ReasonSignaled {
		l.Errorf("%s: exit %+v %v, want signaled", id, exit, err)
	}
	if err := p.Close(); err != nil {
		l.Errorf("close %s: %v", id, err)
	}
}

func (l *leaking) count(early, missed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if early {
		l.early++
	}
	if missed {
		l.missed++
	}
}
