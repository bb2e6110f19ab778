package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/providertest"
)

func TestConformance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandlot-provider-minimal")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as users get it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	providertest.Run(t, providertest.Options{
		Kills: 20,
		Open: providertest.Binary(providertest.Launch{
			Path: path,
			Env:  append(os.Environ(), "SANDLOT_HOME="+t.TempDir(), "TMPDIR="+t.TempDir()),
		}),
	})
}
