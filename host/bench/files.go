//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// files are writing and reading whole ones, and listing a large folder. Neither
// side syncs: a write is whole or not there for whoever reads, but not after a
// power cut.
func (b *bench) files(context.Context) ([]row, error) {
	filer, err := sandbox.As[sandbox.Filer](b.box)
	if err != nil {
		return nil, err
	}
	files, root := filer.Files(), b.box.Info().Root
	var rows []row
	for _, size := range []struct {
		name  string
		bytes int
		goal  goal
	}{{"1 KB", 1 << 10, goal{}}, {"1 MB", 1 << 20, goal{}}, {"64 MB", 64 << 20, goal{of: "ratio", most: 2}}} {
		n := size.bytes
		if b.small {
			n = min(n, 1<<20)
		}
		data := bytes.Repeat([]byte("0123456789abcdef"), n/16)
		raw, ours := filepath.Join(root, "raw"), filepath.Join(root, "ours")
		rows = append(rows, row{
			name: "write a file of " + size.name, unit: "ms", goal: size.goal,
			raw: timed(func(context.Context) error {
				if err := os.WriteFile(raw+".temp", data, 0o644); err != nil {
					return err
				}
				return os.Rename(raw+".temp", raw)
			}),
			ours: timed(func(ctx context.Context) error {
				return files.Write(ctx, ours, bytes.NewReader(data), sandbox.WriteOptions{Mode: 0o644})
			}),
		}, row{
			name: "read a file of " + size.name, unit: "ms", goal: size.goal,
			raw: timed(func(context.Context) error {
				_, err := os.ReadFile(raw)
				return err
			}),
			ours: timed(func(ctx context.Context) error {
				f, err := files.Read(ctx, ours, sandbox.ReadOptions{})
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = io.ReadFull(f, make([]byte, n))
				return err
			}),
		})
	}
	list, err := b.list(files)
	return append(rows, list), err
}

func (b *bench) list(files sandbox.Files) (row, error) {
	entries := b.size(10_000)
	folder := filepath.Join(b.box.Info().Root, "many")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return row{}, err
	}
	for i := range entries {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("file-%05d", i)), nil, 0o644); err != nil {
			return row{}, err
		}
	}
	return row{
		name: "list a folder of 10,000", unit: "ms",
		raw: timed(func(context.Context) error {
			found, err := os.ReadDir(folder)
			for _, e := range found {
				if _, err := e.Info(); err != nil {
					return err
				}
			}
			return err
		}),
		ours: timed(func(ctx context.Context) error {
			found, err := files.List(ctx, folder)
			if err == nil && len(found) != entries {
				err = fmt.Errorf("%d entries came of %d", len(found), entries)
			}
			return err
		}),
	}, nil
}
