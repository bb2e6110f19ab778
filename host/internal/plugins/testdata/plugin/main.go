// Command plugin is the provider that the tests of host/internal/plugins start.
// Its one sandbox tells its environment: List has a sandbox for each variable.
// What it is told to do wrong is in fault.go.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type config struct {
	Say   string `hcl:"say,optional" doc:"Printed on stderr."`
	Fault string `hcl:"fault,optional" doc:"What goes wrong in a List."`
	Early string `hcl:"early,optional" doc:"What goes wrong in Configure."`
}

func main() {
	if file := os.Getenv("SANDLOT_TEST_COUNT"); file != "" && len(os.Args) > 1 {
		count(file)
	}
	if link, target, ok := strings.Cut(os.Getenv("SANDLOT_TEST_FLIP"), ":"); ok && len(os.Args) > 1 {
		flip(link, target)
	}
	sdk.ServeProvider(sdk.Provider[config]{
		Type: "probe", Version: "0.1.0", Provider: provider{}, Env: []string{"PROBE_TOKEN", "PROBE_X_*"},
		Issues: "https://example.com/probe/issues",
		New: func(ctx context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
			if err := fail(ctx, c.Early); err != nil {
				return nil, err
			}
			if c.Say == "refuse" {
				return nil, sandbox.Errorf(sandbox.Unauthenticated, "no token")
			}
			if c.Say != "" {
				fmt.Fprintln(os.Stderr, c.Say)
				fmt.Fprintln(os.Stderr, strings.Repeat("x", 300_000)+"END")
			}
			host.Log.Warn("ready", "home", host.Home, "count", 3)
			host.Log.Trace("particulars")
			return provider{c.Fault}, nil
		},
	})
}

// count adds a byte to a file.
func count(file string) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(".")
	}
	if err != nil {
		panic(err)
	}
}

// flip makes a link lead elsewhere.
func flip(link, target string) {
	err := os.Symlink(target, link+".new")
	if err == nil {
		err = os.Rename(link+".new", link)
	}
	if err != nil {
		panic(err)
	}
}

type provider struct{ fault string }

// Close implements io.Closer: a stubborn one doesn't return.
func (p provider) Close() error {
	if p.fault == "stubborn" {
		select {}
	}
	return nil
}

func (provider) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return nil, sandbox.Errorf(sandbox.Unsupported, "create: not here")
}

func (provider) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return nil, sandbox.Errorf(sandbox.Gone, "resume: not here")
}

func (provider) Destroy(context.Context, string) error { return nil }

func (p provider) List(ctx context.Context) ([]sandbox.Summary, error) {
	if err := fail(ctx, p.fault); err != nil {
		return nil, err
	}
	var list []sandbox.Summary
	for _, entry := range os.Environ() {
		list = append(list, sandbox.Summary{ID: entry})
	}
	return list, nil
}

func (provider) Capabilities() sandbox.Capabilities { return sandbox.Capabilities{} }
