package sdk

import (
	"context"
	"errors"
	"testing"

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

// plain has no files; filed has. Neither is ever called.
type plain struct{ sandbox.Sandbox }

type filed struct{ sandbox.Sandbox }

func (*filed) Files() sandbox.Files { return nil }

func TestDescribeTellsFilesByTheTypeOfTheSandbox(t *testing.T) {
	cases := []struct {
		name  string
		box   sandbox.Sandbox
		claim bool
		want  bool
	}{
		{"a sandbox with files", (*filed)(nil), false, true},
		{"one without", (*plain)(nil), false, false},
		{"one without that claims to", (*plain)(nil), true, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := describeProvider(Provider[settings]{
				Type: "x", Version: "1", Sandbox: c.box, Env: []string{"TOKEN"},
				Capabilities: sandbox.Capabilities{Files: c.claim, PTY: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			want := sandbox.Capabilities{Files: c.want, PTY: true, NetworkPolicy: sandbox.NetworkNone}
			if diff := cmp.Diff(want, *d.Capabilities); diff != "" {
				t.Errorf("capabilities (-want +got):\n%s", diff)
			}
			if d.Kind != plugin.KindProvider || len(d.Schema.Attributes) != 1 || len(d.Schema.Blocks) != 1 || d.Env[0] != "TOKEN" {
				t.Errorf("got %+v", d)
			}
		})
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
