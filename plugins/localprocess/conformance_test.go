package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/providertest"
)

// The suite runs twice: through the binary that users get, where everything
// crosses the wire and a plugin process can crash, and in this process, where
// the race detector sees the provider.
func TestConformanceOfTheBinary(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "sandlot-provider-localprocess")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, out)
	}
	providertest.Run(t, providertest.Options{
		Open: providertest.Binary(providertest.Launch{
			Path: binary,
			Env:  append(os.Environ(), "SANDLOT_HOME="+t.TempDir(), "HOME="+t.TempDir()),
		}),
	})
}

func TestConformanceInProcess(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	host := sdk.Host{Home: t.TempDir(), Owner: providertest.DefaultOwner, Log: hclog.NewNullLogger()}
	promised := capabilities()
	providertest.Run(t, providertest.Options{
		Kills: 20,
		Open: func(ctx context.Context) (*providertest.Plugin, error) {
			p, err := newProvider(ctx, config{}, host)
			if err != nil {
				return nil, err
			}
			return &providertest.Plugin{
				Provider: p, Close: func() error { return nil }, PID: os.Getpid(), Promised: &promised,
			}, nil
		},
	})
}
