//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// lives are creating and destroying a sandbox, beside making and removing what
// one is made of.
func (b *bench) lives(context.Context) ([]row, error) {
	folder := filepath.Join(b.dir, "raw-sandbox")
	var boxes []sandbox.Sandbox
	return []row{
		{
			name: "create a sandbox", unit: "ms", goal: goal{of: "ours", most: 2},
			raw: timed(func(context.Context) error {
				for _, dir := range []string{"root", "state"} {
					if err := os.MkdirAll(filepath.Join(folder, dir), 0o700); err != nil {
						return err
					}
				}
				return os.WriteFile(filepath.Join(folder, "state", "owner"), []byte("bench"), 0o600)
			}),
			ours: timed(func(ctx context.Context) error {
				sb, err := b.provider.Create(ctx, b.request())
				boxes = append(boxes, sb)
				return err
			}),
		},
		{
			name: "destroy a sandbox", unit: "ms",
			raw: func(context.Context) ([]float64, error) {
				for _, dir := range []string{"root", "state"} {
					if err := os.MkdirAll(filepath.Join(folder, dir), 0o700); err != nil {
						return nil, err
					}
				}
				start := time.Now()
				err := os.RemoveAll(folder)
				return []float64{since(start)}, err
			},
			ours: timed(func(ctx context.Context) error {
				sb := boxes[0]
				boxes = boxes[1:]
				return b.provider.Destroy(ctx, sb.ID())
			}),
		},
	}, nil
}

// commands are short ones that end by themselves.
func (b *bench) commands(context.Context) ([]row, error) {
	raw := func(ctx context.Context) error {
		var stdout, stderr bytes.Buffer // exec collects both
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "true")
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		return cmd.Run()
	}
	ours := func(ctx context.Context, id string) error {
		out, err := sandbox.Exec(ctx, b.box, sandbox.Command{ID: id, Script: "true"})
		if err == nil && !out.Exit.Ok() {
			return fmt.Errorf("sh -c true: %+v", out.Exit)
		}
		return err
	}
	many := b.size(20 * wide)
	plain := func(ctx context.Context, _ string) error { return raw(ctx) }
	return []row{
		{name: "exec: sh -c true, one after another", unit: "ms", raw: inTurn(10, b.id, plain), ours: inTurn(10, b.id, ours), goal: goal{of: "ratio", most: 1.5}},
		{name: "exec: sh -c true, 16 at a time", unit: "/s", raw: atOnce(many, b.id, plain), ours: atOnce(many, b.id, ours), goal: goal{of: "ratio", least: 0.5}},
	}, nil
}

// call is one command; its id is nobody else's.
type call func(ctx context.Context, id string) error

const wide = 16

// atOnce makes n calls, 16 at a time, and answers how many ended in a second.
func atOnce(n int, id func() string, work call) side {
	return rated(float64(n), func(ctx context.Context) error {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(wide)
		for range n {
			id := id()
			g.Go(func() error { return work(ctx, id) })
		}
		return g.Wait()
	})
}

// inTurn makes n calls and answers how long one took.
func inTurn(n int, id func() string, work call) side {
	return func(ctx context.Context) ([]float64, error) {
		start := time.Now()
		for range n {
			if err := work(ctx, id()); err != nil {
				return nil, err
			}
		}
		return []float64{since(start) / float64(n)}, nil
	}
}

// tree is a few processes, one of them in a session of its own.
const tree = `sleep 1000 & sleep 1000 & setsid sleep 1000 & echo up; wait`

// kills are of a whole tree, to the moment when none of it lives. The raw limit
// is a signal to the group, which leaves the session of its own alive.
func (b *bench) kills(context.Context) ([]row, error) {
	return []row{{
		name: "kill of a tree of 5, to none left", unit: "ms", goal: goal{of: "ours", most: 10},
		raw: func(ctx context.Context) ([]float64, error) {
			cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "sleep 1000 & sleep 1000 & sleep 1000 & echo up; wait")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.StdoutPipe()
			if err != nil {
				return nil, err
			}
			if err := cmd.Start(); err != nil {
				return nil, err
			}
			if _, err := out.Read(make([]byte, 16)); err != nil {
				return nil, err
			}
			start := time.Now()
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
				return nil, err
			}
			_ = cmd.Wait() // it was killed
			return []float64{since(start)}, nil
		},
		ours: func(ctx context.Context) ([]float64, error) {
			id, up := b.id(), make(chan struct{}, 1)
			p, err := b.box.Start(ctx, sandbox.Command{ID: id, Script: tree, Stdout: toldOf(up)})
			if err != nil {
				return nil, err
			}
			defer p.Close()
			select {
			case <-up:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			start := time.Now()
			err = b.box.Kill(ctx, id, 0)
			return []float64{since(start)}, err
		},
	}}, nil
}

// toldOf tells of a write.
type toldOf chan<- struct{}

func (s toldOf) Write(p []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(p), nil
}
