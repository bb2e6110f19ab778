package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Stat doesn't follow a link in the last element.
func (f files) Stat(_ context.Context, path string) (sandbox.FileInfo, error) {
	a, err := f.find(path)
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	defer a.root.Close()
	info, err := a.root.Lstat(a.name)
	if err != nil {
		return sandbox.FileInfo{}, a.fail("stat file", err)
	}
	out := describe(a.root, a.name, info)
	out.Name = filepath.Base(strings.TrimRight(path, "/"))
	return out, nil
}

// List skips what is removed while it reads.
func (f files) List(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	a, err := f.find(path)
	if err != nil {
		return nil, err
	}
	defer a.root.Close()
	if st, err := a.root.Stat(a.name); err == nil && !st.IsDir() {
		return nil, sandbox.Errorf(sandbox.Invalid, "list folder %q: it is no folder", path)
	}
	infos, err := readDir(a.root, a.name)
	if err != nil {
		return nil, a.fail("list folder", err)
	}
	out := make([]sandbox.FileInfo, 0, len(infos))
	for _, info := range infos {
		out = append(out, describe(a.root, filepath.Join(a.name, info.Name()), info))
	}
	return out, ctx.Err()
}

// readDir lists a folder by name, with what each entry is.
func readDir(root *os.Root, name string) ([]fs.FileInfo, error) {
	dir, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		// Not e.Info: that goes by the name the folder had when it was opened.
		if info, err := root.Lstat(filepath.Join(name, e.Name())); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}

func describe(root *os.Root, name string, info fs.FileInfo) sandbox.FileInfo {
	out := sandbox.FileInfo{
		Name: info.Name(), Kind: kindOf(info.Mode()), Mode: info.Mode().Perm(),
		Size: info.Size(), ModTime: info.ModTime(),
	}
	if out.Kind == sandbox.KindLink {
		out.Target, _ = root.Readlink(name)
	}
	return out
}

func kindOf(mode fs.FileMode) sandbox.FileKind {
	switch {
	case mode.IsRegular():
		return sandbox.KindFile
	case mode.IsDir():
		return sandbox.KindDir
	case mode&fs.ModeSymlink != 0:
		return sandbox.KindLink
	}
	return sandbox.KindOther
}
