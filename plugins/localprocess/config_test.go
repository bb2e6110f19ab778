package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

func TestConfigurationRefusals(t *testing.T) {
	for _, c := range []struct {
		name      string
		config    config
		attribute string
		words     []string
	}{
		{"a home of another kind", config{Home: "privat"}, "home", []string{`"privat"`, `"private"`}},
		{"no name", config{InheritEnv: []string{"A", ""}}, "inherit_env[1]", []string{"no name"}},
		{"a name with a value", config{InheritEnv: []string{"A=b"}}, "inherit_env[0]", []string{"without ="}},
		{"a star within a name", config{ScrubEnv: []string{"A*B"}}, "scrub_env[0]", []string{"trailing *"}},
		{"a blank around a name", config{ScrubEnv: []string{"A "}}, "scrub_env[0]", []string{"blank"}},
		{"all scrubbed", config{ScrubEnv: []string{"*"}}, "scrub_env[0]", []string{"inherit_env = []"}},
		{"HOME scrubbed", config{ScrubEnv: []string{"A", "HOME"}}, "scrub_env[1]", []string{`home = "private"`}},
		{"a name in both", config{InheritEnv: []string{"A", "B"}, ScrubEnv: []string{"B"}}, "inherit_env[1]", []string{"both name B"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newProvider(t.Context(), c.config, sdk.Host{Home: t.TempDir(), Log: hclog.NewNullLogger()})
			wantClass(t, err, sandbox.Invalid, c.words...)
			if e, ok := errors.AsType[*sandbox.Error](err); !ok || e.Attribute != c.attribute {
				t.Errorf("attribute of %+v, want %s", e, c.attribute)
			}
		})
	}
}

// Another folder or home is another sandbox; who may see which variable isn't.
func TestWhatCountsForIdentity(t *testing.T) {
	s, err := schema.Of(config{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, a := range s.Attributes {
		got[a.Name] = a.Identity
		if a.Doc == "" || a.Example == "" {
			t.Errorf("%s has no doc or example", a.Name)
		}
	}
	if diff := cmp.Diff(map[string]bool{"dir": true, "home": true, "inherit_env": false, "scrub_env": false}, got); diff != "" {
		t.Error(diff)
	}
}

// An empty list means something else than none.
func TestAnEmptyListIsNotAnAbsentOne(t *testing.T) {
	var empty, absent config
	if err := schema.Decode([]byte(`{"inherit_env": []}`), &empty); err != nil || empty.InheritEnv == nil {
		t.Errorf("%#v %v", empty, err)
	}
	if err := schema.Decode([]byte(`{}`), &absent); err != nil || absent.InheritEnv != nil || absent.Home != homeReal {
		t.Errorf("%#v %v", absent, err)
	}
}
