//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// unsound is a project with a sound provider and several that can hang.
const unsound = `
provider "localprocess" "here" {}
provider "faulty" "sound" {}
provider "faulty" "lists" { hang = "list" }
provider "faulty" "configures" { hang = "configure" }
provider "faulty" "secretive" { token = secret.TOKEN }
secret "TOKEN" { env = "HOST_TOKEN" }
harness "minimal" "m" {}
sandbox "good" {
  provider = provider.localprocess.here
  harness  = harness.minimal.m
}
sandbox "sound" {
  provider = provider.faulty.sound
  harness  = harness.minimal.m
}
sandbox "lists" {
  provider = provider.faulty.lists
  harness  = harness.minimal.m
}
sandbox "configures" {
  provider = provider.faulty.configures
  harness  = harness.minimal.m
}
sandbox "secretive" {
  provider = provider.faulty.secretive
  harness  = harness.minimal.m
}
`

// newUnsound makes a sandbox of each of those blocks.
func newUnsound(t *testing.T, blocks ...string) *stage {
	t.Helper()
	s := newStage(t, unsound)
	s.env[0] += ":/usr/local/bin:/usr/bin:/bin"
	s.env = append(s.env, "SANDLOT_PLUGIN_DIR="+filepath.Join(built, "faulty"), "HOST_TOKEN=canary-55ee77aa")
	for _, b := range blocks {
		code := 1 // a sandbox without files is of no use to a run, and stays
		if b == "good" {
			code = 0
		}
		s.run("run", "--sandbox", b, "--thread", b, "--run-id", b, "say a").want(t, code)
		s.archived(b)
	}
	return s
}

// psLine is a line of ps --json.
type psLine struct{ Type, Sandbox, Block, Provider, Thread, State, Message string }

func (r ran) ps(t *testing.T) []psLine {
	t.Helper()
	var all []psLine
	for line := range strings.Lines(r.stdout) {
		var l psLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Type != "version" {
			all = append(all, l)
		}
	}
	return all
}

// states are what ps says, by the sandbox's block or, of a stray, its id.
func (r ran) states(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, l := range r.ps(t) {
		if l.Type != "sandbox" {
			continue
		}
		name := l.Block
		if name == "" {
			name = l.Sandbox
		}
		all[name] = l.State
	}
	return all
}

// Alone, as it is held to a time of which most is waiting.
func TestPSAnswersWithin3sWhoeverHangs(t *testing.T) {
	for _, c := range []struct {
		name, fault string
		want        map[string]string
	}{
		{"in Configure and in List", "on", map[string]string{
			"good": "running", "sound": "stopped", "lists": "unreachable", "configures": "unreachable", "secretive": "stopped",
		}},
		{"before the handshake", "handshake", map[string]string{
			"good": "running", "sound": "unreachable", "lists": "unreachable", "configures": "unreachable", "secretive": "unreachable",
		}},
		{"in describe", "describe", map[string]string{
			"good": "running", "sound": "unreachable", "lists": "unreachable", "configures": "unreachable", "secretive": "unreachable",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newUnsound(t, "good", "sound", "lists", "configures", "secretive")
			s.env = append(s.env, "SANDLOT_FAULT="+c.fault)
			// What the runs had the program say is kept, and nobody would ask again.
			if err := os.RemoveAll(filepath.Join(s.home, "cache", "plugins")); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			r := s.run("ps", "--json").want(t, 0)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s", took)
			}
			if left := s.named("sandlot-provider-"); len(left) > 0 {
				t.Errorf("ps left running: %v", left)
			}
			if diff := cmp.Diff(c.want, r.states(t)); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
			told := 0
			for _, l := range r.ps(t) {
				if l.Type == "unreachable" {
					told++
					if !strings.Contains(l.Message, "no answer within 2s") {
						t.Errorf("%s %s is said to be unreachable: %s", l.Provider, l.Block, l.Message)
					}
				}
			}
			if told == 0 {
				t.Error("nobody says which provider is unreachable, and why")
			}
		})
	}
}

func TestPSTellsWhatIsGoneAndWhatTheStoreDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := newUnsound(t, "good", "sound")
	folder := filepath.Join(s.home, "faulty")
	made, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	owner := owner(t, made[0])
	if err := os.Remove(made[0]); err != nil {
		t.Fatal(err)
	}
	for id, owner := range map[string]string{"stray": owner, "somebodys": "unknown"} {
		data := fmt.Sprintf(`{"ID":%q,"Labels":{"owner":%q},"State":"running"}`, id, owner)
		if err := os.WriteFile(filepath.Join(folder, id+".json"), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.project = t.TempDir() // no configuration there
	for range 2 {           // looking changes nothing
		want := map[string]string{"good": "running", "sound": "gone", "stray": "orphan", "somebodys": "unowned"}
		if diff := cmp.Diff(want, s.run("ps", "--json").want(t, 0).states(t)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	}
}

func owner(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Labels struct{ Owner string } }
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s.Labels.Owner
}

func TestPSNamesASecretThatAProviderNeeds(t *testing.T) {
	t.Parallel()
	s := newUnsound(t, "good", "secretive")
	s.without("HOST_TOKEN")
	r := s.run("ps").want(t, 0)
	for _, part := range []string{`provider "faulty" "secretive" is unreachable`, "secret TOKEN", "HOST_TOKEN isn't set", "export HOST_TOKEN="} {
		if !strings.Contains(r.stderr, part) {
			t.Errorf("ps doesn't say %q: %s", part, r.stderr)
		}
	}
	if want := map[string]string{"good": "running", "secretive": "unreachable"}; cmp.Diff(want, s.run("ps", "--json").states(t)) != "" {
		t.Errorf("ps shows %s", r.stdout)
	}
}
