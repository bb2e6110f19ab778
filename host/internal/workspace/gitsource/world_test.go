package gitsource_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/test/gitserver"
)

// gitEnv is the environment of the git that makes repositories for tests.
func gitEnv(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_ALLOW_PROTOCOL=file",
	}
}

// git runs git in a folder and returns what it printed.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(t, dir, "", args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func tryGit(t *testing.T, dir, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gitEnv(t.TempDir()), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// repo is a repository with a work tree.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	git(t, r.dir, "init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string { r.t.Helper(); return git(r.t, r.dir, args...) }

// commit writes files, given as names and contents, and commits all there is.
func (r *repo) commit(message string, files ...string) string {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(r.dir, files[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(files[i+1]), 0o600)); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// serve starts a server of the repositories below a folder; with a token only those
// who have it are served.
func serve(t *testing.T, dir, token string) *gitserver.Server {
	t.Helper()
	s, err := gitserver.Start(dir, token, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// beside puts another repository beside one, as its own name and ".inner".
func beside(t *testing.T, r, other *repo) {
	t.Helper()
	if err := os.Symlink(other.dir, filepath.Join(filepath.Dir(r.dir), filepath.Base(other.dir)+".inner")); err != nil {
		t.Fatal(err)
	}
}

// host is a machine that fetches.
type host struct {
	t     *testing.T
	cache string
	env   map[string]string
	token gitsource.Token

	mu    sync.Mutex
	told  []string
	warns []string
}

func newHost(t *testing.T, s *gitserver.Server) *host {
	t.Helper()
	h := &host{t: t, cache: filepath.Join(t.TempDir(), "cache"), env: map[string]string{"PATH": os.Getenv("PATH")}}
	if s != nil {
		h.env["GIT_SSL_CAINFO"] = s.CA
	}
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(h.cache, "making-*")); len(left) > 0 {
			t.Errorf("left in the cache: %v", left)
		}
	})
	return h
}

func (h *host) fetcher() *gitsource.Fetcher {
	return &gitsource.Fetcher{
		Cache: h.cache, Token: h.token,
		Env: func(name string) (string, bool) { v, ok := h.env[name]; return v, ok },
		Tell: func(detail string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.told = append(h.told, detail)
		},
		Warn: func(code, text string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.warns = append(h.warns, code+": "+text)
		},
	}
}

// fetch fetches and unpacks, and returns the folder.
func (h *host) fetch(r gitsource.Remote) string {
	h.t.Helper()
	dir, err := h.try(h.t.Context(), r)
	if err != nil {
		h.t.Fatal(err)
	}
	return dir
}

func (h *host) try(ctx context.Context, r gitsource.Remote) (string, error) {
	h.t.Helper()
	tree, err := h.fetcher().Fetch(ctx, r)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	var files, size int64
	err = tree.Pack(ctx, &out, func(f, b int64) { files, size = files+f, size+b })
	if err == nil && files != tree.Files {
		h.t.Errorf("%d files were told of, %d were announced", files, tree.Files)
	}
	if err := tree.Close(); err != nil {
		h.t.Error(err)
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(h.t.TempDir(), "work")
	untar(h.t, &out, dir)
	return dir, nil
}

// untar unpacks as a provider does.
func untar(t *testing.T, r io.Reader, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(h.Name, "/")
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		default:
			var f *os.File
			if f, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, os.FileMode(h.Mode)); err == nil {
				_, err = io.Copy(f, in)
				err = errors.Join(err, f.Close())
			}
		}
		if err != nil {
			t.Fatalf("unpack %q: %v", h.Name, err)
		}
	}
}
