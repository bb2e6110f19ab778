package proctree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExitIsTrue(t *testing.T) {
	tests := []struct {
		name   string
		script string
		want   Exit
	}{
		{"exit 0 is 0", "exit 0", Exit{}},
		{"exit 3 is 3", "exit 3", Exit{Code: 3}},
		{"exit 137 is a code, not a signal", "exit 137", Exit{Code: 137}},
		{"its own TERM is signal 15", "kill -TERM $$", Exit{Code: -1, Signal: 15}},
		{"its own KILL is signal 9", "kill -KILL $$", Exit{Code: -1, Signal: 9}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachScope(t, func(t *testing.T, f *Forest) {
				tree := start(t, f, "p", tt.script)
				for range 3 {
					if diff := cmp.Diff(tt.want, wait(t, tree)); diff != "" {
						t.Error(diff)
					}
				}
				noRecord(t, f)
				if tree.Leftovers() {
					t.Error("there are no leftovers")
				}
			})
		})
	}
}

func TestSignals(t *testing.T) {
	f := open(t, t.TempDir(), Options{})
	t.Run("a KILL from outside is reported as signal 9", func(t *testing.T) {
		tree := start(t, f, "outside", "sleep 100")
		if err := syscall.Kill(tree.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, tree); got != (Exit{Code: -1, Signal: 9}) {
			t.Errorf("exit %+v", got)
		}
	})
	t.Run("Signal reaches the leader and is no error after its end", func(t *testing.T) {
		ready := filepath.Join(t.TempDir(), "ready")
		tree := start(t, f, "trap", `trap "exit 7" USR1; : >"$1"; while :; do sleep 0.01; done`, ready)
		eventually(t, "the trap is set", func() bool { _, err := os.Stat(ready); return err == nil })
		if err := tree.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, tree); got.Code != 7 {
			t.Errorf("exit %+v", got)
		}
		if err := tree.Signal(syscall.SIGUSR1); err != nil {
			t.Error(err)
		}
	})
}

func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "echo hi\n", 0o644)
	noInterpreter := write("no-interpreter", "#!/nowhere/sh\n", 0o755)
	noFormat := write("no-format", "\x00\x01\x02", 0o755)
	env := []string{"PATH=" + dir + ":/usr/bin:/bin"}
	tests := []struct {
		name string
		spec Spec
		want error
	}{
		{"a name that isn't in PATH", Spec{ID: "a", Argv: []string{"no-such-program"}, Env: env}, ErrNotFound},
		{"a path that isn't there", Spec{ID: "a", Argv: []string{dir + "/nothing"}, Env: env}, ErrNotFound},
		{"a script whose interpreter is missing", Spec{ID: "a", Argv: []string{noInterpreter}, Env: env}, ErrNotFound},
		{"a file without execute permission", Spec{ID: "a", Argv: []string{plain}, Env: env}, ErrNotExecutable},
		{"such a file found in PATH", Spec{ID: "a", Argv: []string{"plain"}, Env: env}, ErrNotExecutable},
		{"a directory", Spec{ID: "a", Argv: []string{dir}, Env: env}, ErrNotExecutable},
		{"a file of no known format", Spec{ID: "a", Argv: []string{noFormat}, Env: env}, ErrNotExecutable},
		{"a directory that is missing", Spec{ID: "a", Argv: []string{"true"}, Env: env, Dir: dir + "/no"}, ErrNoDir},
		{"a directory that is a file", Spec{ID: "a", Argv: []string{"true"}, Env: env, Dir: plain}, ErrNoDir},
		{"no id", Spec{Argv: []string{"true"}, Env: env}, ErrInvalid},
		{"an id too long", Spec{ID: strings.Repeat("x", 257), Argv: []string{"true"}, Env: env}, ErrInvalid},
		{"no command", Spec{ID: "a", Env: env}, ErrInvalid},
		{"a NUL byte", Spec{ID: "a", Argv: []string{"echo", "a\x00b"}, Env: env}, ErrInvalid},
		{"an unknown user", Spec{ID: "a", Argv: []string{"true"}, Env: env, User: "no-such-user"}, ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachScope(t, func(t *testing.T, f *Forest) {
				_, err := f.Start(t.Context(), tt.spec)
				if !errors.Is(err, tt.want) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				noTrace(t, f, "a", f.dir)
			})
		})
	}
}

func TestStart(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		out := filepath.Join(t.TempDir(), "out")
		file, err := os.Create(out)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		id := "any \xff text\n=/.."
		spec := shell(id, `cat; pwd; printf '%s|' "$SANDLOT_PROC" "$SANDLOT_TREE"`)
		spec.Dir, spec.Stdout = "/", file
		spec.Env = []string{"PATH=/usr/bin:/bin", "SANDLOT_PROC=outer", "SANDLOT_TREE=k.outer"}
		tree, err := f.Start(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if exit := wait(t, tree); exit != (Exit{}) {
			t.Fatalf("exit %+v", exit)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("/\n"+id+"|k.outer/"+f.token(id)+"|", string(got)); diff != "" {
			t.Error(diff)
		}
		noTrace(t, f, id, f.dir)
	})
}

func TestStartTwice(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		tree := start(t, f, "p", "sleep 100")
		if _, err := f.Start(t.Context(), shell("p", "exit 0")); !errors.Is(err, ErrInUse) {
			t.Errorf("second start under one id: %v", err)
		}
		if err := tree.Kill(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if exit := wait(t, start(t, f, "p", "exit 4")); exit.Code != 4 {
			t.Errorf("start after kill: %+v", exit)
		}
	})
}

func TestStartCancelled(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		ctx, cancel := context.WithCancel(t.Context())
		f.beforeFork = cancel
		if _, err := f.Start(ctx, shell("p", "sleep 100")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		noTrace(t, f, "p", f.token("p"))
	})
}

func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	f := open(t, t.TempDir(), Options{})
	out := filepath.Join(t.TempDir(), "ignored")
	cmd := another(t, "start", f, "p", "sh", "-c", `grep SigIgn /proc/self/status >"$1.new"; mv "$1.new" "$1"`, "sh", out)
	cmd.Args = append([]string{"sh", "-c", `trap "" INT HUP; exec "$@"`, "sh"}, append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = "/bin/sh"
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Kill(context.Background(), "p", 0); err != nil {
			t.Error(err)
		}
	}()
	eventually(t, "the child has written", func() bool { _, err := os.Stat(out); return err == nil })
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, mask, _ := strings.Cut(strings.TrimSpace(string(got)), "\t")
	ignored, err := strconv.ParseUint(mask, 16, 64)
	const libcsOwn = 1<<31 | 1<<32 // signals 32 and 33 belong to the C library, which sets them as it likes
	if err != nil || ignored&^libcsOwn != 0 {
		t.Errorf("ignored signals: %q %v", got, err)
	}
}
