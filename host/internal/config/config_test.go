package config_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// The shapes of plugins as far as the host sees them.
type localprocess struct {
	Dir string `hcl:"dir,optional"`
}

type acp struct {
	Command    []string          `hcl:"command" example:"[\"my-agent\"]"`
	Env        map[string]string `hcl:"env,optional"`
	AuthMethod *string           `hcl:"auth_method"`
	Mode       *string           `hcl:"mode"`
}

type cloud struct {
	Image   string                   `hcl:"image" default:"debian:12"`
	CPUs    int                      `hcl:"cpus" default:"2"`
	Load    float64                  `hcl:"load" default:"1.50"`
	URL     string                   `hcl:"url,optional" identity:"false"`
	Wait    time.Duration            `hcl:"wait" default:"60s"`
	Waits   []time.Duration          `hcl:"waits,optional"`
	Token   schema.Secret            `hcl:"token,optional"`
	Headers map[string]schema.Secret `hcl:"headers,optional"`
	Old     string                   `hcl:"old,optional" deprecated:"use image"`
	Flag    *bool                    `hcl:"flag"`
	Retry   *retry                   `hcl:"retry,block" identity:"false"`
	Volumes []volume                 `hcl:"volume,block"`
}

type retry struct {
	Times int           `hcl:"times"`
	Key   schema.Secret `hcl:"key,optional"`
}

type volume struct {
	Kind   string `hcl:"kind,label"`
	Target string `hcl:"target"`
}

func schemas(_ context.Context, kind, typ string) (schema.Block, error) {
	all := map[string]any{
		"provider localprocess": localprocess{}, "provider cloud": cloud{}, "harness acp": acp{},
		"harness greedy": struct {
			Model string `hcl:"model"`
		}{},
	}
	v, ok := all[kind+" "+typ]
	if ok {
		return schema.Of(v)
	}
	if typ == "broken" {
		return schema.Block{}, fmt.Errorf("describe: exit status 3")
	}
	unknown := &config.UnknownTypeError{Kind: kind, Type: typ, Looked: []string{"/plugins"}}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if name, ok := strings.CutPrefix(key, kind+" "); ok {
			unknown.Known = append(unknown.Known, name)
		}
	}
	return schema.Block{}, unknown
}

// minimal is a whole configuration; tests append to it.
const minimal = `provider "localprocess" "here" {}
harness "acp" "main" { command = ["agent"] }
sandbox "one" {
  provider = provider.localprocess.here
  harness  = harness.acp.main
}
`

// write puts files into a new folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// options are those of a test whose folder is dir and whose environment is env.
func options(dir string, env map[string]string) config.Options {
	return config.Options{Dir: dir, Schemas: schemas, Version: "0.1.0", Env: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}
}

// load loads one file and wants no error.
func load(t testing.TB, text string) *config.Project {
	t.Helper()
	return loadOptions(t, options(write(t, map[string]string{"sandlot.hcl": text}), nil))
}

func loadOptions(t testing.TB, opts config.Options) *config.Project {
	t.Helper()
	p, diags := config.Load(t.Context(), opts)
	if diags.HasErrors() {
		t.Fatal(render(t, p, diags))
	}
	return p
}

// spec resolves a sandbox and wants no error.
func spec(t testing.TB, p *config.Project, name string) *config.Spec {
	t.Helper()
	s, diags := p.Sandbox(name)
	if diags.HasErrors() {
		t.Fatal(render(t, p, diags))
	}
	return s
}

func render(t testing.TB, p *config.Project, diags hcl.Diagnostics) string {
	t.Helper()
	var out bytes.Buffer
	if err := config.Render(&out, diags, p.Files(), 0, false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
