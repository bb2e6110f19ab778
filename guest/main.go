//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
)

// version is set by the build.
var version = "dev"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sandlot-guest:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch {
	case len(args) == 1 && args[0] == "idle":
		<-ctx.Done()
		return nil
	case len(args) == 1 && args[0] == "version":
		_, err := fmt.Fprintln(os.Stdout, version)
		return err
	case len(args) == 1 && args[0] == "look":
		return look(os.Stdout)
	case len(args) == 3 && args[0] == "settle":
		return settle(args[1], args[2])
	case len(args) == 3 && args[0] == "serve", len(args) == 4 && args[0] == "serve":
		p, err := newProvider(ctx, args[1], args[2], strings.Join(args[3:], ""))
		if err != nil {
			return err
		}
		return guest.Serve(ctx, guest.Stdio(os.Stdin, os.Stdout), p)
	}
	return fmt.Errorf("unknown call %q", args)
}
