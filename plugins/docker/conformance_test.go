package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/providertest"
)

func TestConformanceOfTheBinary(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "sandlot-provider-docker")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, out)
	}
	providertest.Run(t, providertest.Options{
		Open: providertest.Binary(providertest.Launch{
			Path: binary, Config: []byte(`{"image":"sandlot-test-busybox"}`),
			Env: append(os.Environ(), "SANDLOT_HOME="+t.TempDir(), "HOME="+t.TempDir()),
		}),
	})
}

var _ = context.Background
