package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/providertest"
)

// The images that `make images` makes: one has nothing but BusyBox, the other
// bash, coreutils and glibc.
const (
	imageBusybox = "sandlot-test-busybox"
	imageGlibc   = "sandlot-test-glibc"
)

func TestConformance(t *testing.T) {
	binary := buildPlugin(t)
	for image, owner := range map[string]string{
		imageBusybox: "0190c0de-0000-7000-8000-00000000b0b0", imageGlibc: "0190c0de-0000-7000-8000-00000000911b",
	} {
		t.Run(image, func(t *testing.T) { // one after the other: two would wait for the engine, and keep others from it
			t.Cleanup(func() { mustLeaveNothing(t, owner) })
			config, err := json.Marshal(map[string]any{"image": image, "pull": pullNever, "ports": []int{8080}})
			if err != nil {
				t.Fatal(err)
			}
			host, port := listenOnBridge(t)
			providertest.Run(t, providertest.Options{
				Owner:       owner,
				OpenNetwork: "if [ -x /bin/bash ]; then bash -c '< /dev/tcp/" + host + "/" + port + "'; else nc " + host + " " + port + " < /dev/null; fi",
				Open: providertest.Binary(providertest.Launch{
					Path: binary, Owner: owner, Config: config,
					Env: append(os.Environ(), "SANDLOT_HOME="+t.TempDir(), "HOME="+t.TempDir()),
				}),
			})
		})
	}
}

// buildPlugin builds the provider as users have it.
func buildPlugin(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "sandlot-provider-docker")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, out)
	}
	return binary
}
