//go:build linux || darwin

package proctree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// target says which processes belong to a tree.
type target struct {
	marks   marks
	leaders []ident
	cgroups []string
}

func (f *Forest) targetOf(id string, rec record) target {
	t := target{marks: marks{id: id, token: f.token(id)}}
	if l, ok := rec.leader(f.boot); ok {
		t.leaders = []ident{l}
	}
	switch {
	case rec.Cgroup != "":
		t.cgroups = []string{rec.Cgroup}
	case f.cgroup != "":
		// A starter that died before it wrote the record.
		t.cgroups = []string{f.cgroup + "/" + cgroupPrefix + f.token(id)}
	}
	return t
}

// hunt finds the members of a target and remembers them: once a member,
// always a member.
type hunt struct {
	target  target
	table   *table
	spared  map[int]bool // this process, its parents, init: never touched
	foreign map[int]bool // the sessions of those
	known   map[ident]bool
	denied  map[ident]bool // those of them that the system doesn't let us signal
	fresh   int            // members that the last scan saw for the first time
	dead    []proc         // members that the last scan saw as zombies of ours
}

func (f *Forest) hunt(t target) *hunt {
	h := &hunt{
		target: t, table: newTable(t.marks), known: map[ident]bool{}, denied: map[ident]bool{},
		spared: map[int]bool{0: true, 1: true}, foreign: map[int]bool{0: true, 1: true},
	}
	for pid := os.Getpid(); pid > 1 && !h.spared[pid]; {
		h.spared[pid] = true
		p, _ := probe(pid)
		h.foreign[p.sid] = true
		pid = p.ppid
	}
	return h
}

// scan reads the process table once and returns the live members.
func (h *hunt) scan() ([]proc, error) {
	procs, err := h.table.read()
	if err != nil {
		return nil, err
	}
	h.fresh, h.dead = 0, nil
	var live []proc
	for _, p := range h.members(procs) {
		h.table.keep(p.PID)
		if !h.known[p.ident] {
			h.known[p.ident] = true
			h.fresh++
		}
		if p.living() {
			live = append(live, p)
		} else if !gone(p) {
			h.dead = append(h.dead, p)
		}
	}
	return live, nil
}

// members finds the seeds among procs and adds descendants and whole sessions,
// until nothing changes.
func (h *hunt) members(procs []proc) []proc {
	inCgroup, sessions := map[int]bool{}, map[int]bool{}
	for _, cg := range h.target.cgroups {
		for _, pid := range cgroupPIDs(cg) {
			inCgroup[pid] = true
		}
	}
	for _, l := range h.target.leaders {
		// A leader that has gone leaves its number to its session as long as
		// that has members; if another process has the number, it has none.
		if p, there := probe(l.PID); !there || p.ident == l {
			sessions[l.PID] = !h.spared[l.PID]
		}
	}
	in := map[int]proc{}
	var members []proc
	for grown := true; grown; {
		grown = false
		for _, p := range procs {
			if _, ok := in[p.PID]; ok || h.spared[p.PID] {
				continue
			}
			parent, child := in[p.ppid]
			if !(p.marked || inCgroup[p.PID] || h.known[p.ident] || sessions[p.sid] || sessions[p.pgrp] ||
				child && parent.Start <= p.Start) {
				continue
			}
			in[p.PID], grown = p, true
			members = append(members, p)
			if !h.foreign[p.sid] {
				sessions[p.sid] = true // nobody joins a session: whoever is in it was born there
			}
		}
	}
	return members
}

// kill ends all members; see Forest.Kill. One that can't be ended keeps it from
// ending no other.
func (h *hunt) kill(ctx context.Context, grace time.Duration) error {
	if grace > 0 {
		if err := h.terminate(ctx, grace); err != nil {
			return err
		}
	}
	limit, cancel := context.WithTimeoutCause(ctx, killLimit, errStuck)
	defer cancel()
	for clean := 0; ; {
		live, err := h.freeze(limit)
		if err != nil {
			return err
		}
		live = slices.DeleteFunc(live, func(p proc) bool { return h.denied[p.ident] })
		if len(live) == 0 {
			// Without a cgroup one look isn't enough: what forks and leaves while
			// the table is read may be missed by it.
			if clean++; clean < 3 && !h.held() {
				continue
			}
			awaitGone(limit, h.dead)
			return h.awaitDenied(limit)
		}
		clean = 0
		held := h.held()
		for _, p := range live {
			// What a cgroup holds is killed by it, whoever owns it.
			if err := send(p.ident, unix.SIGKILL); errors.Is(err, unix.EPERM) && !held {
				h.denied[p.ident] = true
			}
		}
		live = slices.DeleteFunc(live, func(p proc) bool { return h.denied[p.ident] })
		if awaitGone(limit, live); limit.Err() != nil {
			// Stuck in the kernel, or forking faster than it dies.
			if live, err = h.scan(); err != nil {
				return err
			}
			return h.survivors(live, context.Cause(limit))
		}
	}
}

// held reports whether there is a cgroup around the whole tree.
func (h *hunt) held() bool {
	return slices.ContainsFunc(h.target.cgroups, func(cg string) bool {
		_, err := os.Stat(cg)
		return err == nil
	})
}

// terminate sends TERM to each member once, and returns when none is left or
// grace is over.
func (h *hunt) terminate(ctx context.Context, grace time.Duration) error {
	over, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	told := map[ident]bool{}
	for {
		live, err := h.scan()
		if err != nil || len(live) == 0 {
			return err
		}
		for _, p := range live {
			if !told[p.ident] {
				told[p.ident] = true
				_ = send(p.ident, unix.SIGTERM)
			}
		}
		// New members are looked for now and then only: a scan isn't free.
		round, stop := context.WithTimeout(over, 100*time.Millisecond)
		awaitGone(round, live)
		stop()
		if over.Err() != nil {
			return nil // KILL is sent even if ctx has ended
		}
	}
}

// freeze stops members until a scan finds no new ones, so that none can fork
// while the next scan runs, and returns those that live. What a cgroup holds
// is killed instead: it can't fork out of that.
func (h *hunt) freeze(ctx context.Context) ([]proc, error) {
	for {
		live, err := h.scan()
		if err != nil {
			return nil, err
		}
		// Also if the scan saw nobody: who forks and leaves may be missed by it,
		// but not by this. That the cgroup is empty then is seen when it is removed.
		held := false
		for _, cg := range h.target.cgroups {
			held = killCgroup(cg, h.spared) || held
		}
		if held || len(live) == 0 || h.fresh == 0 || ctx.Err() != nil {
			return live, nil
		}
		for _, p := range live {
			_ = send(p.ident, unix.SIGSTOP)
		}
	}
}

// errStuck is why KILL didn't help where ctx had time left.
var errStuck = fmt.Errorf("not gone %s after KILL", killLimit)

// deniedLast is how long those that can't be signalled may take to end by
// themselves, now that all around them is gone.
const deniedLast = time.Second

// awaitDenied waits for those, and tells of the ones that stay.
func (h *hunt) awaitDenied(ctx context.Context) error {
	if len(h.denied) == 0 {
		return nil
	}
	var procs []proc
	for id := range h.denied {
		if p, there := probe(id.PID); there && p.ident == id {
			procs = append(procs, p)
		}
	}
	limit, cancel := context.WithTimeout(ctx, deniedLast)
	defer cancel()
	awaitGone(limit, procs)
	return h.survivors(procs, unix.EPERM)
}

// survivors tells of those of procs that live; nil if none does.
func (h *hunt) survivors(procs []proc, cause error) error {
	e := &SurvivorsError{Cause: cause}
	for _, p := range procs {
		if now, there := probe(p.PID); there && now.ident == p.ident && now.living() {
			m := now.member()
			m.Denied = h.denied[p.ident]
			e.Members = append(e.Members, m)
		}
	}
	if len(e.Members) == 0 {
		return nil
	}
	return e
}

// gone is true for a zombie that is another's to reap. One of our own is about
// to be reaped by its Tree, and whoever kills it wants to see none.
func gone(p proc) bool { return !p.living() && p.ppid != os.Getpid() }

// awaitGone polls until all procs are gone or ctx ends.
func awaitGone(ctx context.Context, procs []proc) {
	for wait := 200 * time.Microsecond; ; wait = min(wait*3/2, 10*time.Millisecond) {
		procs = slices.DeleteFunc(slices.Clone(procs), func(p proc) bool {
			now, ok := probe(p.PID)
			return !ok || now.ident != p.ident || gone(now)
		})
		if len(procs) == 0 || pause(ctx, wait) != nil {
			return
		}
	}
}
