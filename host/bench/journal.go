//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// journals is an agent's output through the journal: written to a file in the
// sandbox, followed by the host, cut into lines. The raw limit is the same
// program writing to a file that is read when it has ended.
func (b *bench) journals(context.Context) ([]row, error) {
	filer, err := sandbox.As[sandbox.Filer](b.box)
	if err != nil {
		return nil, err
	}
	lines := b.size(200_000)
	script := fmt.Sprintf(`seq -f '{"type":"text","number":%%.0f,"text":"some words of an agent"}' %d`, lines)
	whole := func(n int) error {
		if n != lines {
			return fmt.Errorf("%d lines came of %d", n, lines)
		}
		return nil
	}
	return []row{{
		name: "journal: 200,000 lines, start to end", unit: "/s", goal: goal{of: "ours", least: 200_000},
		raw: rated(float64(lines), func(ctx context.Context) error {
			file := filepath.Join(b.dir, "raw-journal")
			if err := exec.CommandContext(ctx, "/bin/sh", "-c", script+" >"+file).Run(); err != nil {
				return err
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return whole(bytes.Count(data, []byte("\n")))
		}),
		ours: rated(float64(lines), func(ctx context.Context) error {
			id := b.id()
			j := journal.Open(filer.Files(), b.box.Info().StateDir, id)
			if err := j.Prepare(ctx, nil); err != nil {
				return err
			}
			p, err := b.box.Start(ctx, sandbox.Command{ID: id, Argv: j.Argv(journal.InputNone, []string{"/bin/sh", "-c", script}), Detached: true})
			if err != nil {
				return err
			}
			defer p.Close()
			out, n := j.Out(journal.DefaultLineCap), 0
			var g errgroup.Group
			g.Go(func() error {
				return out.Run(ctx, func(batch journal.Batch) error {
					n += bytes.Count(batch.Data, []byte("\n"))
					return nil
				})
			})
			_, err = p.Wait(ctx)
			out.Ended()
			if readErr := g.Wait(); err == nil {
				err = readErr
			}
			if err != nil {
				return err
			}
			return whole(n)
		}),
	}}, nil
}
