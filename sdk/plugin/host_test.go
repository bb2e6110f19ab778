//go:build unix

package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// play is the main of the test binary in another role.
func play(role string) int {
	if role == "host" {
		if err := host(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(os.Stderr, "unknown role", role)
	return 2
}

// host launches a plugin, starts a process in it that is detached and one that
// isn't, prints the ids, and stays until it is killed.
func host() error {
	ctx := context.Background()
	c, err := plugin.Launch(ctx, plugin.LaunchOptions{
		Path: os.Getenv("TEST_PLUGIN"), Env: []string{"PATH=" + os.Getenv("PATH")}, SocketDir: os.Getenv("TEST_DIR") + "/s",
	})
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]string{"dir": os.Getenv("TEST_DIR")})
	if err != nil {
		return err
	}
	p, err := c.Provider(ctx, plugin.Configure{Config: config})
	if err != nil {
		return err
	}
	sb, err := p.Create(ctx, sandbox.CreateRequest{Key: key})
	if err != nil {
		return err
	}
	fmt.Printf("gone=%s\n", c.PID())
	for word, detached := range map[string]bool{"gone": false, "stays": true} {
		_, err := sb.Start(ctx, sandbox.Command{
			ID: word, Script: "sleep 300 & echo " + word + "=$$; echo " + word + "=$!; wait", Detached: detached, Stdout: os.Stdout,
		})
		if err != nil {
			return err
		}
	}
	select {} // until it is killed
}
