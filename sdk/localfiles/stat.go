package localfiles

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Stat doesn't follow a link in the last element.
func (f files) Stat(_ context.Context, path string) (sandbox.FileInfo, error) {
	a, err := f.find(path, Use{})
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
	a, err := f.find(path, Use{Follow: true})
	if err != nil {
		return nil, err
	}
	defer a.root.Close()
	if st, err := a.root.Stat(a.name); err == nil && !st.IsDir() {
		return nil, sandbox.Errorf(sandbox.Invalid, "list folder %q: it is no folder", path)
	}
	names, err := readNames(a.root, a.name)
	if err != nil {
		return nil, a.fail("list folder", err)
	}
	folder, err := a.root.OpenRoot(a.name) // each entry is then one call away
	if err != nil {
		return nil, a.fail("list folder", err)
	}
	defer folder.Close()
	out := make([]sandbox.FileInfo, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, a.fail("list folder", err)
		}
		if info, err := folder.Lstat(name); err == nil {
			out = append(out, describe(folder, name, info))
		}
	}
	return out, nil
}

// readNames lists a folder, sorted. Only names are kept: a folder may have
// hundreds of thousands.
func readNames(root *os.Root, name string) ([]string, error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would hold an open
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
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
