package harnesstest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// startTimeout bounds the start of a plugin and its configuration.
const startTimeout = 30 * time.Second

// Binary starts the plugin program at path, configures it with config (a JSON
// object, shaped by the plugin's schema) and opens sessions with it. env is its
// whole environment. The program ends with the test.
func Binary(t Cleaner, path string, config json.RawMessage, env ...string) Opener {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatalf("find plugin: %v", err)
	}
	ctx, stop := context.WithTimeout(context.Background(), startTimeout)
	defer stop()
	client, err := plugin.Launch(ctx, plugin.LaunchOptions{Path: path, Env: env})
	if err != nil {
		t.Fatalf("launch plugin: %v", err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("close plugin: %v", err)
		}
	})
	opener, err := client.Harness(ctx, plugin.Configure{Config: config, Owner: "harnesstest", Block: "the harness under test"})
	if err != nil {
		t.Fatalf("configure plugin: %v", err)
	}
	return opener.Open
}
