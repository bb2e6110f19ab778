//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// recorder stands in for grok: it notes how it was started, and ends.
const recorder = `#!/bin/sh
printf '%s\n' "$0" "$@" >"${0%/*}/argv"
export -p >"${0%/*}/env"
exit 1
`

// launched is how an agent was started.
type launched struct {
	argv []string
	env  map[string]string
}

// launch starts the example's agent once, with what stands in for grok.
func (s *stage) launch() launched {
	s.t.Helper()
	program := filepath.Join(s.t.TempDir(), "grok")
	if err := os.WriteFile(program, []byte(recorder), 0o700); err != nil {
		s.t.Fatal(err)
	}
	folder := agentPath(s.t, "grok", program)
	s.env = append(s.env, "PATH="+folder+":"+built)
	s.run("run", "--thread", "t", "Begin").want(s.t, 3)
	read := func(name string) []string {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			s.t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	l := launched{argv: read("argv"), env: map[string]string{}}
	l.argv[0] = filepath.Base(l.argv[0])
	for _, line := range read("env") {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		l.env[name] = value
	}
	return l
}

// TestGrokIsTestedAsItIsUsed starts the example as these tests do, and as a
// person would: only the key, where the services are, and what is of one run
// alone differ.
func TestGrokIsTestedAsItIsUsed(t *testing.T) {
	t.Parallel()
	tested, used := newGrok(t, nil), newStage(t, example(t, "grok.hcl"))
	used.home, used.project = tested.home, tested.project
	for _, e := range tested.env {
		if strings.HasPrefix(e, "HOME=") || strings.HasPrefix(e, "SANDLOT_HOME=") {
			used.env = append(used.env, e)
		}
	}
	used.env = append(used.env, "XAI_API_KEY=the-key-of-a-person")
	a, b := tested.launch(), used.launch()
	if diff := cmp.Diff([]string{"grok", "agent", "--no-leader", "stdio"}, a.argv); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(a.argv, b.argv); diff != "" {
		t.Errorf("arguments (-tested +used):\n%s", diff)
	}
	var differ []string
	for name := range maps.Keys(a.env) {
		if other, ok := b.env[name]; !ok || other != a.env[name] {
			differ = append(differ, name)
		}
	}
	for name := range maps.Keys(b.env) {
		if _, ok := a.env[name]; !ok {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	// PATH has each one's stand-in; the others are of one run.
	want := slices.Sorted(slices.Values(append(baseURLs(), "XAI_API_KEY", "PATH", "SANDLOT_PROC", "SANDLOT_RUN", "SANDLOT_TREE")))
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("variables that differ (-want +got):\n%s", diff)
	}
}

// TestGroksKeyIsKeptNowhere has Grok print its key, and looks for it in all that
// is ours: output, events, logs, the store, the journal's copy, and every command
// line.
func TestGroksKeyIsKeptNowhere(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	g := newGrok(t, modelserver.Script{
		shell(`echo "the key is $XAI_API_KEY."`),
		{Parts: []modelserver.Part{modelserver.Text("holding"), modelserver.Until(gate), modelserver.Text(" over")}},
	})
	key := g.model.Key()
	running := g.start("run", "--json", "--run-id", "r", "--approve", "yes", "Print it")
	running.await("holding")
	agents := 0
	for _, p := range g.processes() {
		if strings.Contains(strings.Join(p.args, " "), key) {
			t.Errorf("the key is in the arguments of %s", p)
		}
		if len(p.args) == 4 && filepath.Base(p.args[0]) == "grok" && slices.Equal(p.args[1:], []string{"agent", "--no-leader", "stdio"}) {
			agents++
		}
	}
	if agents != 1 {
		t.Errorf("%d agents run as the example says, want 1: %v", agents, g.processes())
	}
	close(gate)
	r := running.ends().want(t, 0)
	events := r.events(t)
	whole(t, events)
	if got := find(events, "TOOL_CALL_RESULT", ""); len(got) != 1 || got[0].Event.Content != "the key is ***.\n" {
		t.Errorf("results: %+v; the test needs a key that was printed and scrubbed", got)
	}
	if strings.Contains(r.stdout+r.stderr, key) {
		t.Error("the key is in the output")
	}
	for _, verb := range [][]string{{"attach", "--json", "r"}, {"logs", "r"}} {
		if again := g.run(verb...).want(t, 0); strings.Contains(again.stdout+again.stderr, key) {
			t.Errorf("the key is in what sandlot %s shows", verb[0])
		}
	}
	looked := map[string]bool{}
	for _, folder := range []string{g.home, g.project} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := plainFile(path)
			looked[filepath.Base(path)] = true
			if strings.Contains(string(data), key) {
				t.Errorf("the key is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"store.db", "driver.log", "out.gz", "sandlot.hcl"} {
		if !looked[name] {
			t.Errorf("no file %s was looked at", name)
		}
	}
}

// plainFile reads a file, also one that is compressed.
func plainFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil || filepath.Ext(path) != ".gz" {
		return data, err
	}
	unzip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzip)
}
