package providertest

import (
	"context"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Run runs the whole suite; t is a *testing.T or a T of one's own.
func Run[Self T[Self]](t Self, o Options) {
	t.Helper()
	s := &suite{opts: o.withDefaults(), made: map[string]bool{}}
	for i := range s.plugins {
		p, err := s.opts.Open(t.Context())
		if err != nil {
			t.Fatalf("open plugin process %d: %v", i+1, err)
		}
		s.plugins[i] = p
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Errorf("close plugin process %d: %v", i+1, err)
			}
		})
	}
	caps := s.plugins[0].Provider.Capabilities()
	defer s.checkNothingLeft(t)
	for _, g := range groups() {
		if g.needs != nil && !g.needs(caps) {
			continue // that it is refused is a case of the capabilities
		}
		t.Run(g.name, func(t Self) {
			for _, c := range g.cases {
				t.Run(c.name, func(t Self) { c.run(s.bed(t)) })
			}
		})
	}
}

// suite is what the cases share: two plugin processes on one backend.
type suite struct {
	opts    Options
	plugins [2]*Plugin

	mu   sync.Mutex
	made map[string]bool // ids of all sandboxes and snapshots that the cases made
}

func (s *suite) remember(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[id] = true
}

// checkNothingLeft looks whether each case's sandboxes and snapshots are gone.
func (s *suite) checkNothingLeft(t tester) {
	t.Helper()
	all, err := s.plugins[1].Provider.List(t.Context())
	if err != nil {
		t.Errorf("list at the end: %v", err)
	}
	for _, left := range all {
		if s.made[left.ID] {
			t.Errorf("left at the end: %+v", left)
		}
	}
	snapshots, err := sandbox.AsProvider[sandbox.Snapshotter](s.plugins[1].Provider)
	if err != nil {
		return // it has none
	}
	kept, err := snapshots.Snapshots(t.Context())
	if err != nil {
		t.Errorf("list snapshots at the end: %v", err)
	}
	for _, left := range kept {
		if s.made[left.ID] {
			t.Errorf("left at the end: %+v", left)
		}
	}
}

type group struct {
	name  string
	needs func(c sandbox.Capabilities) bool // nil: every provider has it
	cases []testCase
}

type testCase struct {
	name string // a sentence
	run  func(b *bed)
}

func groups() []group {
	files := func(c sandbox.Capabilities) bool { return c.Files }
	kills := func(c sandbox.Capabilities) bool { return c.KillableProcesses }
	return []group{
		{"life of a sandbox", nil, lifeCases()},
		{"info", nil, infoCases()},
		{"capabilities", nil, capabilityCases()},
		{"exit", nil, exitCases()},
		{"refusals", nil, refusalCases()},
		{"output", nil, outputCases()},
		{"stdin", nil, stdinCases()},
		{"environment", nil, environmentCases()},
		{"limits", kills, limitCases()},
		{"letting go", kills, letGoCases()},
		{"kill", kills, killCases()},
		{"detached", kills, detachedCases()},
		{"files", files, fileCases()},
		{"file names", files, nameCases()},
		{"atomic writes", files, atomicCases()},
		{"folders", files, folderCases()},
		{"following a file", files, followCases()},
		{"trees of files", files, treeCases()},
		{"ports", func(c sandbox.Capabilities) bool { return c.Ports }, portCases()},
		{"snapshots", func(c sandbox.Capabilities) bool { return c.Snapshots }, snapshotCases()},
		{"forks", func(c sandbox.Capabilities) bool { return c.Forks }, forkCases()},
		{"confinement", files, confinementCases()},
		{"hostile trees", files, hostileCases()},
		{"hostile tar streams", files, hostileTarCases()},
	}
}

// bed makes what one case runs in.
func (s *suite) bed(t tester) *bed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), s.opts.Limit)
	t.Cleanup(cancel)
	b := &bed{tester: t, suite: s, ctx: ctx, key: newKey()}
	b.sb = b.create(b.request())
	return b
}
