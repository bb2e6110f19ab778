//go:build linux || darwin

package proctree

import (
	"context"
	"errors"
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
	if l, ok := rec.leader(bootID()); ok {
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
	fresh   int    // members that the last scan saw for the first time
	dead    []proc // members that the last scan saw as zombies of ours
}

func (f *Forest) hunt(t target) *hunt {
	h := &hunt{
		target: t, table: newTable(t.marks), known: map[ident]bool{},
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

// kill ends all members; see Forest.Kill.
func (h *hunt) kill(ctx context.Context, grace time.Duration) error {
	if grace > 0 {
		if err := h.terminate(ctx, grace); err != nil {
			return err
		}
	}
	limit, cancel := context.WithTimeoutCause(ctx, killLimit, errors.New("not gone 10 s after KILL"))
	defer cancel()
	for clean := 0; ; {
		live, err := h.freeze(limit)
		if err != nil {
			return err
		}
		if len(live) == 0 {
			// Without a cgroup one look isn't enough: what forks and leaves while
			// the table is read may be missed by it.
			if clean++; clean < 3 && !h.held() {
				continue
			}
			awaitGone(limit, h.dead)
			return nil
		}
		clean = 0
		var denied error
		for _, p := range live {
			denied = errors.Join(denied, send(p.ident, unix.SIGKILL))
		}
		if err := h.awaitDeath(limit, live, denied); err != nil {
			return err
		}
		if limit.Err() != nil { // it forks faster than it dies
			if live, err = h.scan(); err != nil || len(live) == 0 {
				return err
			}
			return survivors(live, context.Cause(limit))
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

// awaitDeath waits until none of procs lives.
func (h *hunt) awaitDeath(ctx context.Context, procs []proc, denied error) error {
	if awaitGone(ctx, procs); ctx.Err() == nil {
		return nil
	}
	var left []proc
	for _, p := range procs {
		if now, ok := probe(p.PID); ok && now.ident == p.ident && now.living() {
			left = append(left, now)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return survivors(left, errors.Join(context.Cause(ctx), denied))
}

func survivors(procs []proc, cause error) error {
	e := &SurvivorsError{Cause: cause}
	for _, p := range procs {
		e.Members = append(e.Members, p.member())
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
