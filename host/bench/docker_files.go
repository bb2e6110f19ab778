//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"path"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// files are whole ones, beside `docker cp`.
func (d *docker) files() []row {
	var rows []row
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1 KB", 1 << 10}, {"64 MB", 64 << 20}} {
		n := size.bytes
		if d.small {
			n = min(n, 1<<20)
		}
		data := bytes.Repeat([]byte("0123456789abcdef"), n/16)
		put := func(ctx context.Context) error { return d.put(ctx, "file", data) }
		write := func(ctx context.Context) error { return d.write(ctx, "file", data) }
		there := func(put func(context.Context) error) func(context.Context) (string, error) {
			return func(ctx context.Context) (string, error) { return "file", put(ctx) }
		}
		rows = append(rows,
			row{name: "write a file of " + size.name, unit: "ms", goal: asFast(1.25), raw: timed(put), ours: timed(write)},
			row{
				name: "read a file of " + size.name, unit: "ms", goal: asFast(1.25),
				raw:  timedOf(there(put), func(ctx context.Context, name string) error { return d.get(ctx, name, n) }, nil),
				ours: timedOf(there(write), func(ctx context.Context, name string) error { return d.read(ctx, name, n) }, nil),
			})
	}
	return rows
}

func (d *docker) write(ctx context.Context, name string, data []byte) error {
	filer, err := sandbox.As[sandbox.Filer](d.box)
	if err != nil {
		return err
	}
	return filer.Files().Write(ctx, path.Join(d.box.Info().Root, name), bytes.NewReader(data), sandbox.WriteOptions{Mode: 0o644})
}

func (d *docker) read(ctx context.Context, name string, size int) error {
	filer, err := sandbox.As[sandbox.Filer](d.box)
	if err != nil {
		return err
	}
	f, err := filer.Files().Read(ctx, path.Join(d.box.Info().Root, name), sandbox.ReadOptions{})
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, make([]byte, size))
	return err
}
