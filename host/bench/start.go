//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// starts are of a plugin and of a whole program that wants a sandbox. The raw
// limits are a start of the plugin's program that only describes itself, and a
// shell that makes the folders.
func (b *bench) starts(context.Context) ([]row, error) {
	program := filepath.Join(b.bin, "plugins", "sandlot-provider-localprocess")
	n := 0
	return []row{
		{
			name: "plugin: start to the first call's answer", unit: "ms",
			raw: timed(func(ctx context.Context) error { return exec.CommandContext(ctx, program, "describe").Run() }),
			ours: func(ctx context.Context) ([]float64, error) {
				fresh := pluginsOf(b.bin, filepath.Join(b.dir, "home"))
				return timedUntil(func() (func() error, error) {
					provider, proc, err := fresh.LaunchProvider(ctx, localprocess(), configuration())
					if err != nil {
						return nil, err
					}
					_, err = provider.List(ctx)
					return proc.Close, err
				})
			},
		},
		{
			name: "program: start to the first sandbox", unit: "ms", goal: goal{of: "ours", most: 100},
			raw: timed(func(ctx context.Context) error {
				n++
				folder := filepath.Join(b.dir, fmt.Sprint("raw-handle-", n))
				return exec.CommandContext(ctx, "/bin/sh", "-c", "mkdir "+folder+" "+folder+"/root "+folder+"/state").Run()
			}),
			ours: func(ctx context.Context) ([]float64, error) {
				cmd := exec.CommandContext(ctx, b.self, "handle", b.bin, filepath.Join(b.dir, "handle-home"))
				cmd.Stderr = os.Stderr
				out, err := cmd.StdoutPipe()
				if err != nil {
					return nil, err
				}
				return timedUntil(func() (func() error, error) {
					if err := cmd.Start(); err != nil {
						return nil, err
					}
					s := bufio.NewScanner(out)
					if !s.Scan() {
						return cmd.Wait, errors.New("no sandbox")
					}
					return cmd.Wait, s.Err()
				})
			},
		},
	}, nil
}

// handle is a program that wants a sandbox, says when it has it, and removes it.
func handle(ctx context.Context, bin, home string) (err error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	st, err := store.Open(ctx, filepath.Join(home, "store.db"))
	if err != nil {
		return err
	}
	defer st.Close()
	all := pluginsOf(bin, home)
	defer all.Close()
	provider, proc, err := all.LaunchProvider(ctx, localprocess(), configuration())
	if err != nil {
		return err
	}
	defer proc.Close()
	var b bench
	sb, err := provider.Create(ctx, b.request())
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, sb.ID())
	return provider.Destroy(ctx, sb.ID())
}
