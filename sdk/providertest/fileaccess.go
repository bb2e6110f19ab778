package providertest

import (
	"bytes"
	"context"
	"io"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// filed is a bed with access to the sandbox's files, and ways to use it that
// end the case where they don't work.
type filed struct {
	*bed
	files sandbox.Files
	root  string
}

func withFiles(run func(f *filed)) func(b *bed) {
	return func(b *bed) {
		b.Helper()
		filer, err := sandbox.As[sandbox.Filer](b.sb)
		b.noError("ask for files", err)
		run(&filed{b, filer.Files(), b.sb.Info().Root})
	}
}

func (f *filed) write(path, content string, mode fs.FileMode) {
	f.Helper()
	err := f.files.Write(f.ctx, path, bytes.NewReader([]byte(content)), sandbox.WriteOptions{Mode: mode})
	if err != nil {
		f.Fatalf("write %.80q: %v", path, err)
	}
}

func (f *filed) read(path string) string {
	f.Helper()
	content, err := f.tryRead(path, sandbox.ReadOptions{})
	if err != nil {
		f.Fatalf("read %.80q: %v", path, err)
	}
	return content
}

func (f *filed) tryRead(path string, opts sandbox.ReadOptions) (string, error) {
	r, err := f.files.Read(f.ctx, path, opts)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	return string(content), err
}

func (f *filed) stat(path string) sandbox.FileInfo {
	f.Helper()
	info, err := f.files.Stat(f.ctx, path)
	if err != nil {
		f.Fatalf("stat %.80q: %v", path, err)
	}
	return info
}

func (f *filed) names(path string) []string {
	f.Helper()
	list, err := f.files.List(f.ctx, path)
	if err != nil {
		f.Fatalf("list %.80q: %v", path, err)
	}
	names := make([]string, 0, len(list))
	for _, info := range list {
		names = append(names, info.Name)
	}
	return names
}

// call is one method of Files on a path, for cases in which all must answer
// alike.
type call struct {
	name string
	do   func(ctx context.Context, f sandbox.Files, path string) error
}

// reading are the calls that need what is there, changing those that make or
// alter it.
func reading() []call {
	return []call{
		{"read", func(ctx context.Context, f sandbox.Files, path string) error {
			r, err := f.Read(ctx, path, sandbox.ReadOptions{})
			if err == nil {
				_, err = io.Copy(io.Discard, r)
				_ = r.Close()
			}
			return err
		}},
		{"stat", func(ctx context.Context, f sandbox.Files, path string) error {
			_, err := f.Stat(ctx, path)
			return err
		}},
		{"list", func(ctx context.Context, f sandbox.Files, path string) error {
			_, err := f.List(ctx, path)
			return err
		}},
		{"pull", func(ctx context.Context, f sandbox.Files, path string) error {
			return f.Pull(ctx, path, io.Discard)
		}},
		{"chmod", func(ctx context.Context, f sandbox.Files, path string) error {
			return f.Chmod(ctx, path, 0o777)
		}},
		{"rename", func(ctx context.Context, f sandbox.Files, path string) error {
			return f.Rename(ctx, path, "moved-here")
		}},
	}
}

func changing() []call {
	return []call{
		{"write", func(ctx context.Context, f sandbox.Files, path string) error {
			return f.Write(ctx, path, bytes.NewReader([]byte("new")), sandbox.WriteOptions{})
		}},
		{"mkdir", func(ctx context.Context, f sandbox.Files, path string) error {
			return f.Mkdir(ctx, path, 0o755)
		}},
		{"push", func(ctx context.Context, f sandbox.Files, path string) error {
			return f.Push(ctx, path, bytes.NewReader(pack(member{name: "pushed", content: "new"})))
		}},
		{"rename to", func(ctx context.Context, f sandbox.Files, path string) error {
			if err := f.Write(ctx, "to-be-moved", bytes.NewReader(nil), sandbox.WriteOptions{}); err != nil {
				return err
			}
			return f.Rename(ctx, "to-be-moved", path)
		}},
	}
}
