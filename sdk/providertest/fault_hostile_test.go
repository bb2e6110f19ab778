//go:build unix

package providertest_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// nameFaults get strange names wrong in one call each.
func nameFaults() []fault {
	latin := func(path string) string { return strings.ToValidUTF8(path, "?") }
	return []fault{
		{"recoding: pull takes names for UTF-8", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.pull = func(ctx context.Context, path string, w io.Writer) error { return f.Files.Pull(ctx, latin(path), w) }
		}), []string{`takes the name "inv`}},
		{"splitting: push takes a name for lines", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.push = func(ctx context.Context, path string, r io.Reader) error {
				return f.Files.Push(ctx, strings.Split(path, "\n")[0], r)
			}
		}), []string{`takes the name "a\nb"`}},
		{"optional: rename takes a name for an option", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.rename = func(ctx context.Context, from, to string) error {
				if strings.HasPrefix(from, "-") {
					return sandbox.Errorf(sandbox.Invalid, "mv: invalid option")
				}
				return f.Files.Rename(ctx, from, to)
			}
		}), []string{`takes the name "-rf"`}},
		{"expanding: chmod takes a name for a script", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.chmod = func(ctx context.Context, path string, mode fs.FileMode) error {
				return f.Files.Chmod(ctx, strings.ReplaceAll(path, "$(touch x)", "x"), mode)
			}
		}), []string{`takes the name "$(touch x)"`}},
		{"cutting: mkdir cuts long names", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.mkdir = func(ctx context.Context, path string, mode fs.FileMode) error {
				return f.Files.Mkdir(ctx, path[:min(len(path), 143)], mode)
			}
		}), []string{"of 255 bytes"}},
		{"globbing: remove takes a name for a pattern", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.remove = func(ctx context.Context, path string) error {
				matches, _ := filepath.Glob(b.real(path))
				var err error
				for _, m := range matches {
					err = errors.Join(err, f.Files.Remove(ctx, m))
				}
				return err
			}
		}), []string{`takes the name "?[a]"`}},
	}
}

func hostileFaults() []fault {
	waiting := func(ctx context.Context, path string) error {
		if st, err := os.Lstat(path); err == nil && st.Mode()&fs.ModeNamedPipe != 0 {
			<-ctx.Done() // as an open of a pipe does
			return ctx.Err()
		}
		return nil
	}
	return []fault{
		{"waiting: a pipe is opened like a file", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.read = func(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
				if err := waiting(ctx, b.real(path)); err != nil {
					return nil, err
				}
				return f.Files.Read(ctx, path, opts)
			}
			f.pull = func(ctx context.Context, path string, w io.Writer) error {
				if err := waiting(ctx, b.real(path+"/pipe")); err != nil {
					return err
				}
				return f.Files.Pull(ctx, path, w)
			}
		}), []string{"a pipe is refused", "doesn't wait for pipes"}},
		{"gullible: a path is looked at before and used after", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.write = func(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
				real, err := filepath.EvalSymlinks(filepath.Dir(b.real(path)))
				if err != nil || !strings.HasPrefix(real, b.Sandbox.Info().Root) {
					return f.Files.Write(ctx, path, r, opts)
				}
				content, err := io.ReadAll(r)
				if err != nil {
					return err
				}
				return os.WriteFile(b.real(path), content, 0o600)
			}
			f.push = func(_ context.Context, path string, r io.Reader) error { return trust(b.real(path), r) }
		}), []string{"a link during a write", "a link during a push"}},
		{"loyal: the root's path is taken as it is", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.list = func(_ context.Context, path string) ([]sandbox.FileInfo, error) {
				root, err := os.OpenRoot(b.Sandbox.Info().Root)
				if err != nil {
					return nil, err
				}
				defer root.Close()
				_, err = fs.ReadDir(root.FS(), path)
				return nil, classed(err)
			}
		}), []string{"a root that became a link"}},
		{"clearing: destroy goes where the root points", func(f *faulty) {
			f.destroy = func(ctx context.Context, id string) error {
				if sb, err := f.Provider.Resume(ctx, sandbox.ResumeRequest{ID: id}); err == nil {
					names, _ := filepath.Glob(sb.Info().Root + "/*")
					for _, name := range names {
						_ = os.RemoveAll(name)
					}
				}
				return f.Provider.Destroy(ctx, id)
			}
		}, []string{"destroying spares"}},
		{"privileged: all bits of a mode are set", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.chmod = func(_ context.Context, path string, mode fs.FileMode) error { return os.Chmod(b.real(path), mode) }
			f.push = func(ctx context.Context, path string, r io.Reader) error {
				stream, err := io.ReadAll(r)
				err = errors.Join(err, f.Files.Push(ctx, path, bytes.NewReader(stream)))
				for in := tar.NewReader(bytes.NewReader(stream)); err == nil; {
					h, nextErr := in.Next()
					if nextErr != nil {
						break
					}
					err = syscall.Chmod(filepath.Join(b.real(path), h.Name), uint32(h.Mode))
				}
				return err
			}
		}), []string{"set-id and sticky"}},
		{"short: a page is taken for the whole", onFiles(func(_ *faultyBox, f *faultyFiles) {
			f.list = func(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
				list, err := f.Files.List(ctx, path)
				return list[:min(len(list), 10_000-1)], err
			}
		}), []string{"very many entries"}},
	}
}

func hostileTarFaults() []fault {
	var all []string
	for _, name := range []string{
		"a name that is ..", "a .. behind a dot", "a .. in a PAX name", "a NUL in a PAX name", "a folder through a link", "a link through a link", "a file through two links",
		"a hard link through a link", "a file below a folder that became a link", "a file over a hard link to a link", "a file over a link of its name",
		"a folder over a link of its name", "a link in place of the folder itself", "a block device", "a pipe", "a size of 4 EiB", "a PAX size", "a sparse file",
	} {
		all = append(all, "stream with "+name)
	}
	return []fault{
		{"credulous: a tar stream is unpacked as it is", onFiles(func(b *faultyBox, f *faultyFiles) {
			f.push = func(_ context.Context, path string, r io.Reader) error { return trust(b.real(path), r) }
		}), all},
	}
}

// trust unpacks as many programs do: names are joined, links are followed, sizes
// are believed and errors of a member are passed over.
func trust(dir string, r io.Reader) error {
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil // it ends somehow
		}
		name := filepath.Join(dir, h.Name)
		switch h.Typeflag {
		case tar.TypeSymlink:
			if name == filepath.Clean(dir) {
				_ = os.RemoveAll(dir)
			}
			_ = os.Remove(name)
			_ = os.Symlink(h.Linkname, name)
		case tar.TypeLink:
			_ = os.Link(filepath.Join(dir, h.Linkname), name)
		case tar.TypeDir:
			_ = os.MkdirAll(name, 0o755)
			_ = os.Chmod(name, fs.FileMode(h.Mode).Perm())
		default:
			_ = os.MkdirAll(filepath.Dir(name), 0o755)
			if file, err := os.Create(name); err == nil {
				_, _ = io.Copy(file, in)
				_ = file.Close()
			}
		}
	}
	return nil
}
