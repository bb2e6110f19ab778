//go:build unix

package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// launched is a running test plugin; its stderr goes to log.
func launched(t *testing.T, change ...func(*plugin.LaunchOptions)) (c *plugin.Client, log *watched) {
	t.Helper()
	log = newWatched()
	opts := plugin.LaunchOptions{
		Path:      os.Getenv("TEST_PLUGIN"),
		Env:       []string{"PATH=" + os.Getenv("PATH")},
		SocketDir: filepath.Join(t.TempDir(), "s"),
		Stderr:    func(line []byte) { _, _ = log.Write(append(line, '\n')) },
	}
	for _, f := range change {
		f(&opts)
	}
	c, err := plugin.Launch(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, log
}

func configure(t *testing.T, c *plugin.Client, config map[string]string) sandbox.Provider {
	t.Helper()
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Provider(t.Context(), plugin.Configure{Config: data, Owner: "owner-1", Block: `provider "plain" "p"`})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func boxed(t *testing.T, c *plugin.Client) sandbox.Sandbox {
	t.Helper()
	return create(t, configure(t, c, map[string]string{"dir": t.TempDir()}))
}

func TestAPluginProcessServesAProvider(t *testing.T) {
	c, log := launched(t)
	if d := c.Description(); d.Kind != plugin.KindProvider || d.Type != "plain" || d.Version != "1.2.3" || len(d.Schema.Attributes) != 2 {
		t.Errorf("description: got %+v", d)
	}
	sb := boxed(t, c)
	out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "p", Script: "echo hello"})
	if err != nil || string(out.Stdout) != "hello\n" {
		t.Errorf("got %q, %v", out.Stdout, err)
	}
	log.await(t, `"owner":"owner-1"`)
	log.await(t, `"@message":"configured"`)
}

func TestAPluginStartedByHandExplainsItself(t *testing.T) {
	cases := []struct {
		name string
		args []string
		code int
		say  string
	}{
		{"without an argument", nil, 2, "it is started by sandlot and not by hand"},
		{"with one it doesn't know", []string{"--help"}, 2, `knows no argument but "describe"`},
		{"asked what it is", []string{"describe"}, 0, `"type":"plain"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(os.Getenv("TEST_PLUGIN"), c.args...)
			cmd.Env = []string{"SANDLOT_PLUGIN=another program's"}
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.say) {
				t.Errorf("exit code %d, %v, printed %q", code, err, out)
			}
		})
	}
}

func TestConfigureIsOnceAndTellsTheAttribute(t *testing.T) {
	c, _ := launched(t)
	_, err := c.Provider(t.Context(), plugin.Configure{Config: []byte(`{"dir":"refuse"}`)})
	e, ok := errors.AsType[*sandbox.Error](err)
	if !ok || e.Class != sandbox.Invalid || e.Attribute != "dir" || e.Message != "no such place" || e.Provider != "plain" {
		t.Errorf("got %#v", err)
	}
	_, err = c.Provider(t.Context(), plugin.Configure{Config: []byte(`{"dir":"x"}`)})
	if !errors.Is(err, sandbox.Conflict) {
		t.Errorf("second configure: got %v", err)
	}
	c, _ = launched(t)
	_, err = c.Provider(t.Context(), plugin.Configure{Config: []byte(`{"dri":"x"}`)})
	if e, ok := errors.AsType[*sandbox.Error](err); !ok || e.Class != sandbox.Invalid || e.Attribute == "" {
		t.Errorf("a key that isn't known: got %#v", err)
	}
	if _, err := c.Harness(t.Context(), plugin.Configure{}); !errors.Is(err, sandbox.Invalid) {
		t.Errorf("harness of a provider: got %v", err)
	}
}

func TestThePluginIsClean(t *testing.T) {
	secret, err := os.CreateTemp(t.TempDir(), "inherited")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = secret.Close() }()
	t.Setenv("HOST_SECRET", "x")
	c, _ := launched(t, func(o *plugin.LaunchOptions) { o.Env = append(o.Env, "GIVEN=1") })
	sb := boxed(t, c)
	out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "p", Script: `env | cut -d= -f1 | sort; ls -l /proc/$PPID/fd/0`})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out.Stdout))
	names := slices.DeleteFunc(got[:slices.Index(got, "PWD")+1], func(n string) bool { return n == "OLDPWD" || n == "SHLVL" || n == "_" })
	if want := []string{"GIVEN", "PATH", "PWD"}; !slices.Equal(names, want) {
		t.Errorf("environment of a child: got %v, want %v", names, want)
	}
	if got[len(got)-1] != "/dev/null" {
		t.Errorf("stdin of the plugin: got %s", got[len(got)-1])
	}
	if strings.Contains(string(out.Stdout), secret.Name()) {
		t.Error("a file of the host reached a child")
	}
}

func TestAStrayPrintGoesToTheLog(t *testing.T) {
	c, log := launched(t)
	p := configure(t, c, map[string]string{"dir": t.TempDir(), "print": "stray words"})
	log.await(t, "stray words")
	log.await(t, "stdout by name")
	create(t, p) // and the connection is as good as before
}

func TestAPanicInACallIsAnErrorThatTellsAll(t *testing.T) {
	c, log := launched(t)
	sb := boxed(t, c)
	_, err := sb.(sandbox.Filer).Files().Stat(t.Context(), "panic")
	want := `the plain plugin crashed (panic: a bug in stat) in Stat, provider "plain" "p" (report it at https://example.com/issues)`
	if !errors.Is(err, sandbox.Internal) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	crash, ok := errors.AsType[*plugin.Crash](err)
	if !ok || crash.Call != "Stat" || !strings.Contains(crash.Stack, "main.files.Stat") {
		t.Errorf("crash: got %+v", crash)
	}
	log.await(t, "plugin crashed")
	if _, err := sb.(sandbox.Filer).Files().Stat(t.Context(), "."); err != nil {
		t.Errorf("the process must survive: %v", err)
	}
}

func TestAPanicOutsideACallNamesThePluginAndThePanic(t *testing.T) {
	c, _ := launched(t)
	sb := boxed(t, c)
	p, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: "sleep 60"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sb.(sandbox.Filer).Files().Stat(t.Context(), "die")
	if !errors.Is(err, sandbox.Unavailable) ||
		!strings.Contains(err.Error(), `the plain plugin crashed (panic: a bug in a goroutine) in Stat, Start, provider "plain" "p"`) {
		t.Errorf("got %v", err)
	}
	exit, err := p.Wait(t.Context())
	if exit.Reason != sandbox.ReasonUnknown || exit.Code != -1 || !errors.Is(err, sandbox.Unavailable) {
		t.Errorf("wait: got %+v, %v", exit, err)
	}
	<-c.Done()
	died, ok := errors.AsType[*plugin.DiedError](c.Err())
	if !ok || !strings.Contains(died.Panic, "goroutine ") {
		t.Errorf("err: got %#v", c.Err())
	}
	if _, err := sb.Alive(t.Context(), "p"); !errors.Is(err, sandbox.Unavailable) {
		t.Errorf("a call after the death: got %v", err)
	}
}

func TestCloseEndsTheGroupAndRemovesTheSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	c, _ := launched(t, func(o *plugin.LaunchOptions) { o.SocketDir = dir })
	sb := boxed(t, c)
	p, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: "trap '' TERM; sleep 300"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("socket folder: %v, %v", info, err)
	}
	start := time.Now()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("close took %s", took)
	}
	await(t, func() bool { return !running(p.PID()) })
	if list := left(t, dir, "*"); len(list) > 0 {
		t.Errorf("left in the socket folder: %v", list)
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "was closed") {
		t.Errorf("err: got %v", err)
	}
}

func TestALongSocketFolderIsReplaced(t *testing.T) {
	temp, err := os.MkdirTemp("", "t") //nolint:usetesting // t.TempDir is too long itself
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	t.Setenv("TMPDIR", temp)
	dir := filepath.Join(temp, strings.Repeat("d", 100))
	c, _ := launched(t, func(o *plugin.LaunchOptions) { o.SocketDir = dir })
	boxed(t, c)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the long folder was used: %v", err)
	}
	if n := len(left(t, temp, "sandlot-*")); n != 1 {
		t.Errorf("%d fresh folders while it runs, want 1", n)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if list := left(t, temp, "sandlot-*"); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

func TestAFailedStartLeavesNoSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	path := filepath.Join(t.TempDir(), "bad")
	for _, content := range []string{"#!/bin/sh\nexit 1\n", "\x7fELFgarbage"} {
		writeProgram(t, path, content, 0o755)
		if _, err := plugin.Launch(t.Context(), plugin.LaunchOptions{Path: path, SocketDir: dir}); err == nil {
			t.Fatal("it started")
		}
		if list := left(t, dir, "*"); len(list) > 0 {
			t.Errorf("left behind: %v", list)
		}
	}
}

// left lists what a pattern matches.
func left(t *testing.T, pattern ...string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLaunchTellsWhatWentWrong(t *testing.T) {
	script := func(body string) string { return "#!/bin/sh\n" + body }
	cases := []struct {
		name    string
		content string
		mode    fs.FileMode
		class   sandbox.Class
		say     []string
	}{
		{"a file that isn't executable", script("true"), 0o644, sandbox.Denied, []string{"is not executable", "chmod +x"}},
		{"no program at all", "\x7fELFgarbage", 0o755, sandbox.Unsupported, []string{"is not a program for"}},
		{"an interpreter that isn't there", "#!/no/such/interpreter\n", 0o755, sandbox.Unsupported, []string{`needs the interpreter "/no/such/interpreter"`}},
		{"garbage on stdout", script(`echo "Hello, World"; sleep 60`), 0o755, sandbox.Internal, []string{`"Hello, World"`, "where the plugin's handshake belongs"}},
		{"garbage without an end of line", script(`printf Hello; sleep 60`), 0o755, sandbox.Internal, []string{`"Hello"`}},
		{"another protocol", script(`echo "1|7|unix|/tmp/x|grpc|"; sleep 60`), 0o755, sandbox.Unsupported, []string{"speaks protocol 7", "speaks 1"}},
		{"no socket behind the handshake", script(`echo "1|1|unix|/tmp/no-such-socket|grpc|bm9uZQ"; sleep 60`), 0o755, sandbox.Unavailable, []string{"can't be talked to"}},
		{"an end at once", script(`echo "no licence" >&2; exit 9`), 0o755, sandbox.Unavailable, []string{"exited with code 9", "no licence"}},
		{"an end by a signal", script(`kill -9 $$`), 0o755, sandbox.Unavailable, []string{"it was killed (SIGKILL: by somebody"}},
		{"a hang", script(`echo "waiting for godot" >&2; sleep 60`), 0o755, sandbox.TimedOut, []string{"did not say within 1s", "waiting for godot"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sandlot-provider-bad")
			writeProgram(t, path, c.content, c.mode)
			_, err := plugin.Launch(t.Context(), plugin.LaunchOptions{
				Path: path, Env: []string{"PATH=" + os.Getenv("PATH")}, StartTimeout: time.Second,
			})
			if !errors.Is(err, c.class) {
				t.Errorf("got class %s, want %s", sandbox.ClassOf(err), c.class)
			}
			for _, words := range append(c.say, "start sandlot-provider-bad: ") {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("got  %v\nwant %q in it", err, words)
				}
			}
		})
	}
}

// writeProgram writes a file that can be executed at once: a descriptor that is
// still open for writing, also in a child forked meanwhile, makes that fail.
func writeProgram(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		t.Fatal(err)
	}
}

func TestLaunchEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hanging")
	writeProgram(t, path, "#!/bin/sh\nsleep 60\n", 0o755)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := plugin.Launch(ctx, plugin.LaunchOptions{Path: path, Env: []string{"PATH=" + os.Getenv("PATH")}})
	if !errors.Is(err, sandbox.TimedOut) || time.Since(start) > 5*time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
	if _, err := plugin.Launch(t.Context(), plugin.LaunchOptions{Path: path + "-missing"}); !errors.Is(err, sandbox.NotFound) {
		t.Errorf("a missing file: got %v", err)
	}
}
