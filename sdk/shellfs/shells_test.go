//go:build unix

package shellfs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/shellfs"
)

// shell is an environment that scripts run in.
type shell struct {
	name string
	path string // PATH
}

// shells makes each environment for real: dash and bash with this machine's
// programs, and a folder that holds nothing but BusyBox.
func shells(t *testing.T) []shell {
	t.Helper()
	all := []shell{{"dash and coreutils", with(t, "dash")}, {"bash and coreutils", with(t, "bash")}}
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatalf("%v: make deps installs it", err)
	}
	list, err := exec.CommandContext(t.Context(), busybox, "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for applet := range strings.FieldsSeq(string(list)) {
		link(t, busybox, filepath.Join(dir, applet))
	}
	return append(all, shell{"BusyBox alone", dir})
}

// with is this machine's PATH, in which sh is another shell.
func with(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	link(t, path, filepath.Join(dir, "sh"))
	return dir + ":" + os.Getenv("PATH")
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Fatal(err)
	}
}

// box is a sandbox of this machine whose files are shellfs.
type box struct {
	*processes.Runner
	id   string
	info sandbox.Info
	hook func(cmd *sandbox.Command) // looks at each command before it is started
}

func (b *box) ID() string           { return b.id }
func (b *box) Info() sandbox.Info   { return b.info }
func (b *box) Files() sandbox.Files { return shellfs.New(b) }

func (b *box) Start(ctx context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	if b.hook != nil {
		b.hook(&cmd)
	}
	return b.Runner.Start(ctx, cmd)
}

func openBox(base, path string) (*box, error) {
	r, err := processes.Open(filepath.Join(base, "root"), filepath.Join(base, "home"), filepath.Join(base, "state"), []string{"PATH=" + path})
	if err != nil {
		return nil, err
	}
	info := r.Describe()
	info.Capabilities.Files = true // which the SDK does where there is a wire
	return &box{Runner: r, id: filepath.Base(base), info: info}, nil
}

// newBox makes a sandbox of its own.
func newBox(t *testing.T, s shell) *box {
	t.Helper()
	base := folder(t)
	for _, name := range []string{"root", "home", "state"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b, err := openBox(base, s.path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// folder is a folder without links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
