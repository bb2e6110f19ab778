//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// piped runs a script and hands its stdout to read.
func piped(script string, read func(io.Reader) error) func(context.Context) error {
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := read(out); err != nil {
			return err
		}
		return cmd.Wait()
	}
}

// run runs a script in the sandbox and waits for its end.
func (b *bench) run(ctx context.Context, cmd sandbox.Command) error {
	cmd.ID = b.id()
	return runIn(ctx, b.box, cmd)
}

func runIn(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Command) error {
	p, err := sb.Start(ctx, cmd)
	if err != nil {
		return err
	}
	defer p.Close()
	exit, err := p.Wait(ctx)
	if err == nil && !exit.Ok() {
		err = fmt.Errorf("%s%q: %+v", cmd.Script, cmd.Argv, exit)
	}
	return err
}

// outputs are streams of stdout.
func (b *bench) outputs(context.Context) ([]row, error) {
	stream := func(name string, mb int) row {
		script := fmt.Sprintf("head -c %d /dev/zero", mb*1e6)
		whole := func(n int64, err error) error {
			if err == nil && n != int64(mb)*1e6 {
				err = fmt.Errorf("%d bytes came of %d MB", n, mb)
			}
			return err
		}
		return row{
			name: name, unit: "MB/s", track: b.proc, goal: goal{of: "ratio", least: 0.35},
			raw: rated(float64(mb), piped(script, func(r io.Reader) error { return whole(readAll(r)) })),
			ours: rated(float64(mb), func(ctx context.Context) error {
				var c count
				err := b.run(ctx, sandbox.Command{Script: script, Stdout: &c})
				return whole(c.n, err)
			}),
		}
	}
	lines := b.size(1_000_000)
	script := fmt.Sprintf("seq %d", lines)
	split := func(r io.Reader) error {
		n := 0
		for s := bufio.NewScanner(r); s.Scan(); n++ {
		}
		if n != lines {
			return fmt.Errorf("%d lines came of %d", n, lines)
		}
		return nil
	}
	return []row{
		stream("stdout, 100 MB", b.size(100)),
		stream("stdout, 1 GB", b.size(1000)),
		{
			name: "stdout, 1,000,000 short lines", unit: "M/s", goal: goal{of: "ours", least: 1},
			raw: rated(float64(lines)/1e6, piped(script, split)),
			ours: rated(float64(lines)/1e6, func(ctx context.Context) error {
				r, w := io.Pipe()
				ended := make(chan error, 1)
				go func() {
					err := b.run(ctx, sandbox.Command{Script: script, Stdout: w})
					ended <- err
					_ = w.CloseWithError(err)
				}()
				if err := split(r); err != nil {
					return err
				}
				return <-ended
			}),
		},
	}, nil
}

// inputs is a stream into a process.
func (b *bench) inputs(context.Context) ([]row, error) {
	mb := b.size(100)
	source := func() io.Reader { return io.LimitReader(zeros{}, int64(mb)*1e6) }
	script := "cat >/dev/null"
	return []row{{
		name: "stdin, 100 MB", unit: "MB/s",
		raw: rated(float64(mb), func(ctx context.Context) error {
			cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
			cmd.Stdin = source()
			return cmd.Run()
		}),
		ours: rated(float64(mb), func(ctx context.Context) error {
			return b.run(ctx, sandbox.Command{Script: script, Stdin: source()})
		}),
	}}, nil
}

// zeros is an endless source.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
