//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// commands are short ones that end by themselves.
func (d *docker) commands() []row {
	raw := func(ctx context.Context) error {
		var out bytes.Buffer
		return marked(&out, d.exec(ctx, d.raw, &out, "echo", "marker"))
	}
	ours := func(ctx context.Context, id string) error {
		out, err := sandbox.Exec(ctx, d.box, sandbox.Command{ID: id, Argv: []string{"echo", "marker"}})
		if err == nil && !out.Exit.Ok() {
			err = fmt.Errorf("echo: %+v", out.Exit)
		}
		return marked(bytes.NewBuffer(out.Stdout), err)
	}
	plain := func(ctx context.Context, _ string) error { return raw(ctx) }
	turns, many := d.size(10), d.size(5*wide)
	return []row{
		{
			name: "exec echo, one after another", unit: "ms", goal: asFast(1.25),
			raw: inTurn(turns, d.id, plain), ours: inTurn(turns, d.id, ours),
		},
		{
			name: "exec echo, 16 at a time", unit: "/s", goal: goal{of: "ratio", least: 0.85},
			raw: atOnce(many, d.id, plain), ours: atOnce(many, d.id, ours),
		},
	}
}

// marked tells of an output that isn't the echo's.
func marked(out *bytes.Buffer, err error) error {
	if err == nil && out.String() != "marker\n" {
		err = fmt.Errorf("echo printed %q", out)
	}
	return err
}

// outputs are streams of stdout. The long one is for its memory.
func (d *docker) outputs() []row {
	stream := func(name string, mb int) row {
		argv := []string{"head", "-c", fmt.Sprint(mb, "000000"), "/dev/zero"}
		whole := func(n int64, err error) error {
			if err == nil && n != int64(mb)*1e6 {
				err = fmt.Errorf("%d bytes came of %d MB", n, mb)
			}
			return err
		}
		return row{
			name: name, unit: "MB/s", track: d.proc, goal: goal{of: "ratio", least: 0.6},
			raw: rated(float64(mb), func(ctx context.Context) error {
				var c count
				err := d.exec(ctx, d.raw, &c, argv...)
				return whole(c.n, err)
			}),
			ours: rated(float64(mb), func(ctx context.Context) error {
				var c count
				err := runIn(ctx, d.box, sandbox.Command{ID: d.id(), Argv: argv, Stdout: &c})
				return whole(c.n, err)
			}),
		}
	}
	long := stream("stdout, 1 GB", d.size(1000))
	long.once = true
	return []row{stream("stdout, 100 MB", d.size(100)), long}
}
