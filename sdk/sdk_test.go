package sdk

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type settings struct {
	Image  string  `hcl:"image" doc:"Image."`
	Mounts []mount `hcl:"mount,block"`
}

type mount struct {
	Path string `hcl:"path"`
}

// Sandboxes and providers of several types. None is ever called.
type (
	plain  struct{ sandbox.Sandbox }
	filed  struct{ sandbox.Sandbox }
	all    struct{ sandbox.Sandbox }
	simple struct{ sandbox.Provider }
	keeper struct {
		sandbox.Provider
		sandbox.Snapshotter
	}
)

func (*filed) Files() sandbox.Files { return nil }

func (*all) Port(context.Context, int) (sandbox.Port, error)                      { return sandbox.Port{}, nil }
func (*all) KeepAlive(context.Context, time.Duration) error                       { return nil }
func (*all) Fork(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) { return nil, nil }

func (*all) Snapshot(context.Context, sandbox.SnapshotRequest) (s sandbox.Snapshot, err error) {
	return
}

func TestDescribeTellsAbilitiesByTheTypesOfProviderAndSandbox(t *testing.T) {
	cases := []struct {
		name     string
		provider sandbox.Provider
		box      sandbox.Sandbox
		claim    sandbox.Capabilities
		want     sandbox.Capabilities
	}{
		{"a sandbox with files", (*simple)(nil), (*filed)(nil), sandbox.Capabilities{}, sandbox.Capabilities{Files: true}},
		{"one without", (*simple)(nil), (*plain)(nil), sandbox.Capabilities{PTY: true}, sandbox.Capabilities{PTY: true}},
		{
			"one without anything that claims to have it all", (*simple)(nil), (*plain)(nil),
			sandbox.Capabilities{Files: true, Ports: true, Snapshots: true, Forks: true, Keeps: true, Disruption: sandbox.DisruptionStop},
			sandbox.Capabilities{},
		},
		{
			"all of them", (*keeper)(nil), (*all)(nil),
			sandbox.Capabilities{Disruption: sandbox.DisruptionPause},
			sandbox.Capabilities{Ports: true, Snapshots: true, Forks: true, Keeps: true, Disruption: sandbox.DisruptionPause},
		},
		{
			"snapshots that nothing can be made of", (*simple)(nil), (*all)(nil),
			sandbox.Capabilities{Disruption: sandbox.DisruptionNone},
			sandbox.Capabilities{Ports: true, Forks: true, Keeps: true, Disruption: sandbox.DisruptionNone},
		},
		{
			"a provider of snapshots whose sandboxes give none", (*keeper)(nil), (*filed)(nil),
			sandbox.Capabilities{Disruption: sandbox.DisruptionNone},
			sandbox.Capabilities{Files: true},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := describeProvider(Provider[settings]{
				Type: "x", Version: "1", Provider: c.provider, Sandbox: c.box, Env: []string{"TOKEN"}, Capabilities: c.claim,
			})
			if err != nil {
				t.Fatal(err)
			}
			c.want.NetworkPolicy = sandbox.NetworkNone
			if diff := cmp.Diff(c.want, *d.Capabilities); diff != "" {
				t.Errorf("capabilities (-want +got):\n%s", diff)
			}
			if d.Kind != plugin.KindProvider || len(d.Schema.Attributes) != 1 || len(d.Schema.Blocks) != 1 || d.Env[0] != "TOKEN" {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestAProviderOfSnapshotsMustSayWhatTheyDisrupt(t *testing.T) {
	for _, bad := range []sandbox.Disruption{"", "a bit"} {
		_, err := describeProvider(Provider[settings]{
			Type: "x", Provider: (*keeper)(nil), Sandbox: (*all)(nil), Capabilities: sandbox.Capabilities{Disruption: bad},
		})
		if err == nil || !strings.Contains(err.Error(), "must have a Disruption: none, pause or stop") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestDescribeOfAHarnessTellsItsTraits(t *testing.T) {
	d, err := describeHarness(Harness[settings]{Type: "x", Traits: harness.Traits{Program: "agent"}})
	if err != nil || d.Kind != plugin.KindHarness || d.Traits.Program != "agent" || d.Capabilities != nil {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestAConfigurationThatNoSchemaCanDescribeIsAnError(t *testing.T) {
	type bad struct {
		C chan int `hcl:"c"`
	}
	if _, err := describeProvider(Provider[bad]{}); err == nil {
		t.Error("a channel became an attribute")
	}
	if _, err := describeHarness(Harness[bad]{}); err == nil {
		t.Error("a channel became an attribute")
	}
}

func TestABadValueComesBackWithItsPath(t *testing.T) {
	cases := []struct{ name, config, attribute string }{
		{"a wrong type", `{"image": 3}`, "image"},
		{"one in a list", `{"image": "x", "mount": [{"path": "a"}, {"path": []}]}`, "mount[1].path"},
		{"a name that isn't known", `{"image": "x", "imgae": "y"}`, "imgae"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			called := false
			_, err := newProvider(t.Context(), Provider[settings]{
				New: func(context.Context, settings, Host) (sandbox.Provider, error) {
					called = true
					return nil, nil
				},
			}, plugin.Configure{Config: []byte(c.config)}, nil)
			e, ok := errors.AsType[*sandbox.Error](err)
			if !ok || e.Class != sandbox.Invalid || e.Attribute != c.attribute || called {
				t.Errorf("got %#v, want attribute %s", err, c.attribute)
			}
		})
	}
}

func TestNewIsToldOfTheHost(t *testing.T) {
	t.Setenv("SANDLOT_HOME", "/home/of/sandlot")
	var got Host
	_, err := newProvider(t.Context(), Provider[settings]{
		New: func(_ context.Context, c settings, host Host) (sandbox.Provider, error) {
			got = host
			if c.Image != "node" {
				t.Errorf("config: got %+v", c)
			}
			return nil, nil
		},
	}, plugin.Configure{Config: []byte(`{"image":"node"}`), Owner: "o", Block: "b"}, nil)
	if err != nil || got.Owner != "o" || got.Block != "b" || got.Home != "/home/of/sandlot" {
		t.Errorf("got %+v, %v", got, err)
	}
}
