//go:build unix

package providertest_test

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type tinyFiles struct{ info sandbox.Info }

// open finds the folder that holds path; the caller closes it.
func (f tinyFiles) open(path string) (*os.Root, string, error) {
	if strings.Contains(path, "\x00") {
		return nil, "", sandbox.Errorf(sandbox.Invalid, "NUL in path")
	}
	folder, name := f.info.Root, path
	if filepath.IsAbs(path) {
		folder = ""
		for _, dir := range []string{f.info.Root, f.info.Home, f.info.StateDir} {
			if rest, ok := strings.CutPrefix(path, dir); ok && (rest == "" || rest[0] == '/') {
				folder, name = dir, strings.Trim(rest, "/")
			}
		}
	}
	if folder == "" {
		return nil, "", sandbox.Errorf(sandbox.Denied, "%s isn't served", path)
	}
	root, err := openTrue(folder)
	return root, cmp.Or(strings.TrimRight(name, "/"), "."), classed(err)
}

// openTrue opens a folder that no one has put a link in the place of.
func openTrue(folder string) (*os.Root, error) {
	seen, err := os.Lstat(folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	if got, err := root.Stat("."); err != nil || !os.SameFile(seen, got) {
		_ = root.Close()
		return nil, sandbox.Errorf(sandbox.Denied, "files: %s was replaced", folder)
	}
	return root, nil
}

func classed(err error) error {
	if err == nil || sandbox.ClassOf(err) != sandbox.Internal {
		return err
	}
	class := sandbox.Internal
	switch {
	case errors.Is(err, fs.ErrNotExist):
		class = sandbox.NotFound
	case errors.Is(err, fs.ErrPermission), strings.Contains(err.Error(), "path escapes"):
		class = sandbox.Denied
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY):
		class = sandbox.Conflict
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EBUSY):
		class = sandbox.Invalid
	}
	return sandbox.Errorf(class, "files: %w", err)
}

// in runs a call on an opened folder.
func (f tinyFiles) in(path string, call func(root *os.Root, name string) error) error {
	root, name, err := f.open(path)
	if err != nil {
		return err
	}
	defer root.Close()
	return classed(call(root, name))
}

type tinyReader struct {
	io.Reader
	file *os.File
	stop context.CancelFunc
}

func (r tinyReader) Close() error {
	r.stop()
	return r.file.Close()
}

func (f tinyFiles) Read(ctx context.Context, path string, opts sandbox.ReadOptions) (r io.ReadCloser, err error) {
	if opts.Offset < 0 || opts.Limit < 0 {
		return nil, sandbox.Errorf(sandbox.Invalid, "read %s: negative", path)
	}
	err = f.in(path, func(root *os.Root, name string) error {
		file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		if st, err := file.Stat(); err != nil || !st.Mode().IsRegular() {
			return errors.Join(syscall.EISDIR, err, file.Close())
		}
		ctx, stop := context.WithCancel(ctx)
		out := tinyReader{file, file, stop}
		if opts.Follow {
			out.Reader = &tinyTail{ctx, file}
		}
		if opts.Limit > 0 {
			out.Reader = io.LimitReader(file, opts.Limit)
		}
		r = out
		_, err = file.Seek(opts.Offset, io.SeekStart)
		return err
	})
	return r, err
}

// tinyTail looks every few milliseconds.
type tinyTail struct {
	ctx  context.Context //nolint:containedctx // of the reader
	file *os.File
}

func (t *tinyTail) Read(p []byte) (int, error) {
	for {
		st, statErr := t.file.Stat()
		n, err := t.file.Read(p)
		if n > 0 || err != nil && err != io.EOF {
			return n, err
		}
		if statErr != nil || st.Sys().(*syscall.Stat_t).Nlink == 0 {
			return 0, io.EOF
		}
		select {
		case <-t.ctx.Done():
			return 0, t.ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (f tinyFiles) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	return f.in(path, func(root *os.Root, name string) error { return replace(ctx, root, name, r, opts.Mode) })
}

func replace(_ context.Context, root *os.Root, name string, r io.Reader, mode fs.FileMode) (err error) {
	old, oldErr := root.Lstat(name)
	if oldErr == nil && old.IsDir() {
		return syscall.EISDIR
	}
	if mode == 0 {
		mode = 0o644
		if oldErr == nil && old.Mode().IsRegular() {
			mode = old.Mode().Perm()
		}
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(name), ".tmp-"+time.Now().Format("150405.000000000"))
	file, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(tmp)
		}
	}()
	_, err = io.Copy(file, r)
	err = errors.Join(err, file.Chmod(mode.Perm()), file.Close())
	if err != nil {
		return err
	}
	return root.Rename(tmp, name)
}

func (f tinyFiles) Stat(_ context.Context, path string) (info sandbox.FileInfo, err error) {
	err = f.in(path, func(root *os.Root, name string) error {
		st, err := root.Lstat(name)
		if err == nil {
			info = tinyInfo(root, name, st)
		}
		return err
	})
	return info, err
}

func tinyInfo(root *os.Root, name string, st fs.FileInfo) sandbox.FileInfo {
	info := sandbox.FileInfo{Name: st.Name(), Kind: sandbox.KindOther, Mode: st.Mode().Perm(), Size: st.Size(), ModTime: st.ModTime()}
	switch {
	case st.Mode().IsRegular():
		info.Kind = sandbox.KindFile
	case st.IsDir():
		info.Kind = sandbox.KindDir
	case st.Mode()&fs.ModeSymlink != 0:
		info.Kind = sandbox.KindLink
		info.Target, _ = root.Readlink(name)
	}
	return info
}

func (f tinyFiles) List(_ context.Context, path string) (list []sandbox.FileInfo, err error) {
	err = f.in(path, func(root *os.Root, name string) error {
		dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer dir.Close()
		entries, err := dir.ReadDir(-1)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			if st, err := root.Lstat(filepath.Join(name, e.Name())); err == nil {
				list = append(list, tinyInfo(root, filepath.Join(name, e.Name()), st))
			}
		}
		return err
	})
	return list, err
}

func (f tinyFiles) Mkdir(_ context.Context, path string, mode fs.FileMode) error {
	return f.in(path, func(root *os.Root, name string) error {
		if st, err := root.Stat(name); err == nil && st.IsDir() {
			return nil
		} else if err == nil {
			return fs.ErrExist
		}
		if err := root.MkdirAll(name, 0o755); err != nil {
			return err
		}
		return root.Chmod(name, mode.Perm())
	})
}

func (f tinyFiles) Rename(_ context.Context, from, to string) error {
	return f.in(from, func(root *os.Root, a string) error {
		return f.in(to, func(_ *os.Root, b string) error {
			if a == "." || b == "." {
				return syscall.EBUSY
			}
			return root.Rename(a, b)
		})
	})
}

func (f tinyFiles) Remove(_ context.Context, path string) error {
	return f.in(path, func(root *os.Root, name string) error {
		if filepath.Clean(name) == "." {
			return sandbox.Errorf(sandbox.Invalid, "remove %s: it is the root", path)
		}
		return root.RemoveAll(name)
	})
}

func (f tinyFiles) Chmod(_ context.Context, path string, mode fs.FileMode) error {
	return f.in(path, func(root *os.Root, name string) error { return root.Chmod(name, mode.Perm()) })
}

func (f tinyFiles) Pull(_ context.Context, path string, w io.Writer) error {
	return f.in(path, func(root *os.Root, top string) error {
		out := tar.NewWriter(w)
		if err := pullInto(out, root, top, "."); err != nil {
			return err
		}
		return out.Close()
	})
}

func pullInto(out *tar.Writer, root *os.Root, path, name string) error {
	st, err := root.Lstat(path)
	if err != nil {
		return err
	}
	target, _ := root.Readlink(path)
	h, err := tar.FileInfoHeader(st, target)
	if err != nil {
		return err
	}
	h.Name, h.Format = name, tar.FormatGNU
	if h.Typeflag == tar.TypeFifo {
		return nil
	}
	if st.IsDir() {
		h.Name += "/"
	}
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	if !st.IsDir() && !st.Mode().IsRegular() {
		return nil
	}
	file, err := root.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if !st.IsDir() {
		_, err = io.Copy(out, file)
		return err
	}
	entries, err := file.ReadDir(-1)
	for _, e := range entries {
		err = errors.Join(err, pullInto(out, root, filepath.Join(path, e.Name()), filepath.Join(name, e.Name())))
	}
	return err
}

func (f tinyFiles) Push(ctx context.Context, path string, r io.Reader) error {
	return f.in(path, func(top *os.Root, name string) error {
		if st, err := top.Stat(name); err == nil && !st.IsDir() {
			return syscall.ENOTDIR
		}
		if err := top.MkdirAll(name, 0o755); err != nil {
			return err
		}
		root, err := top.OpenRoot(name)
		if err != nil {
			return err
		}
		defer root.Close()
		in := tar.NewReader(r)
		for {
			h, err := in.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = pushMember(ctx, root, h, in)
			}
			if err != nil {
				if c := sandbox.ClassOf(classed(err)); c == sandbox.Internal || c == sandbox.Denied {
					return sandbox.Errorf(sandbox.Invalid, "push: %w", err)
				}
				return err
			}
		}
	})
}

func pushMember(ctx context.Context, root *os.Root, h *tar.Header, in io.Reader) error {
	name := filepath.Clean(strings.TrimRight(h.Name, "/"))
	if !filepath.IsLocal(name) {
		return sandbox.Errorf(sandbox.Invalid, "member %s leaves the folder", h.Name)
	}
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if st, err := root.Lstat(dir); err == nil && !st.IsDir() {
			return sandbox.Errorf(sandbox.Invalid, "member %s goes through a link", h.Name)
		}
	}
	if _, sparse := h.PAXRecords["GNU.sparse.realsize"]; sparse {
		return sandbox.Errorf(sandbox.Invalid, "member %s is sparse", h.Name)
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if err := root.MkdirAll(name, 0o755); err != nil {
			return err
		}
		return root.Chmod(name, fs.FileMode(h.Mode).Perm())
	case tar.TypeReg:
		return replace(ctx, root, name, in, fs.FileMode(h.Mode).Perm())
	case tar.TypeSymlink:
		return errors.Join(root.MkdirAll(filepath.Dir(name), 0o755), root.Symlink(h.Linkname, name))
	}
	return sandbox.Errorf(sandbox.Invalid, "member %s is a %c", h.Name, h.Typeflag)
}
