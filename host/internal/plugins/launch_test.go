//go:build unix

package plugins_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// probe is a Plugins with the test plugin.
func probe(t *testing.T) (p *plugins.Plugins, home string) {
	t.Helper()
	home = t.TempDir()
	install(t, filepath.Join(home, "plugins"), "sandlot-provider-probe")
	return plugins.New(plugins.Options{Home: home}), home
}

func TestAPluginGetsTheAllowedEnvironmentOnly(t *testing.T) {
	p, home := probe(t)
	provider, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
		Type: "probe",
		Environ: []string{
			"PATH=/bin", "HOME=/h", "TMPDIR=/tmp", "LANG=C", "LC_ALL=C", "TZ=UTC", "TERM=dumb", "USER=u",
			"HTTP_PROXY=a", "https_proxy=b", "NO_PROXY=c", "SSL_CERT_FILE=/c", "SSL_CERT_DIR=/d",
			"SANDLOT_LOG=x", "SANDLOT_HOME=/other", "PROBE_TOKEN=t", "PROBE_X_1=1",
			"AWS_SECRET_ACCESS_KEY=no", "ANTHROPIC_API_KEY=no", "SANDLOT_VAR_token=no", "PROBE_Y=no", "SSH_AUTH_SOCK=no",
			"PLUGIN_MIN_PORT=no", "SANDLOT_PLUGIN=no", "LD_PRELOAD=no", "GODEBUG=no",
		},
	}, plugins.Configure{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proc.Close() }()
	list, err := provider.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.ID)
	}
	slices.Sort(got)
	want := []string{
		"HOME=/h", "HTTP_PROXY=a", "LANG=C", "LC_ALL=C", "NO_PROXY=c", "PATH=/bin", "PROBE_TOKEN=t", "PROBE_X_1=1",
		"SANDLOT_HOME=" + home, "SANDLOT_LOG=x", "SSL_CERT_DIR=/d", "SSL_CERT_FILE=/c", "TERM=dumb", "TMPDIR=/tmp",
		"TZ=UTC", "USER=u", "https_proxy=b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if len(proc.SHA256) != 64 || proc.Path != filepath.Join(home, "plugins", "sandlot-provider-probe") {
		t.Errorf("got path %s, sum %s", proc.Path, proc.SHA256)
	}
}

func TestAPluginThatWantsAllGetsAllButTheConnectionsOwn(t *testing.T) {
	got := plugins.Environ([]string{"B=1", "SANDLOT_VAR_x=2", "PLUGIN_X=3", "A=", "=C:=x", "SANDLOT_PLUGIN=4"}, []string{"*"}, "")
	if diff := cmp.Diff([]string{"A=", "B=1", "SANDLOT_VAR_x=2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// records is a log that a test can read.
type records struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *records) lines(t *testing.T) []map[string]any {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []map[string]any
	for line := range strings.Lines(r.buf.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		list = append(list, fields)
	}
	return list
}

// find waits for a record.
func (r *records) find(t *testing.T, what string, is func(map[string]any) bool) map[string]any {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if i := slices.IndexFunc(r.lines(t), is); i >= 0 {
			return r.lines(t)[i]
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no record of %s in %v", what, r.lines(t))
		}
	}
}

// TestAPluginTellsEverythingToALogThatTakesIt has one at each of two levels.
func TestAPluginTellsEverythingToALogThatTakesIt(t *testing.T) {
	for _, level := range []slog.Level{plugins.LevelTrace, slog.LevelDebug} {
		p, _ := probe(t)
		log := &records{}
		_, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
			Type: "probe", Environ: os.Environ(), Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: level})),
		}, plugins.Configure{Config: []byte(`{"say":""}`)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = proc.Close() })
		if level == plugins.LevelTrace {
			told := log.find(t, "the plugin's", func(m map[string]any) bool { return m["msg"] == "particulars" })
			if told["level"] != "DEBUG-4" {
				t.Errorf("at level %v", told["level"])
			}
			log.find(t, "go-plugin's", func(m map[string]any) bool { return m["module"] == "go-plugin" })
			continue
		}
		log.find(t, "the plugin's", func(m map[string]any) bool { return m["msg"] == "ready" })
		if err := proc.Close(); err != nil { // nothing comes any more
			t.Fatal(err)
		}
		if slices.ContainsFunc(log.lines(t), func(m map[string]any) bool { return m["msg"] == "particulars" || m["module"] == "go-plugin" }) {
			t.Error("a log that doesn't take it was told everything")
		}
	}
}

func TestThePluginsLogIsTheHostsLog(t *testing.T) {
	p, home := probe(t)
	log := &records{}
	_, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
		Type: "probe", Run: "run-1", Environ: os.Environ(),
		Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, plugins.Configure{Config: []byte(`{"say":"a plain word"}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proc.Close() }()
	ready := log.find(t, "ready", func(m map[string]any) bool { return m["msg"] == "ready" })
	delete(ready, "time")
	want := map[string]any{
		"level": "WARN", "msg": "ready", "plugin": "probe", "run": "run-1", "home": home, "count": 3.0,
	}
	delete(ready, "timestamp")
	if diff := cmp.Diff(want, ready); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	word := log.find(t, "the word", func(m map[string]any) bool { return m["msg"] == "a plain word" })
	if word["level"] != "INFO" || word["plugin"] != "probe" {
		t.Errorf("record of a print: got %v", word)
	}
	call := log.find(t, "the call", func(m map[string]any) bool { return m["call"] == "Configure" })
	delete(call, "time")
	delete(call, "took")
	want = map[string]any{"level": "DEBUG", "msg": "call", "call": "Configure", "plugin": "probe", "run": "run-1"}
	if diff := cmp.Diff(want, call); diff != "" {
		t.Errorf("record of a call, which must not have what it carried (-want +got):\n%s", diff)
	}
	long := log.find(t, "the long line", func(m map[string]any) bool {
		return strings.HasPrefix(fmt.Sprint(m["msg"]), "xxx")
	})
	if text := fmt.Sprint(long["msg"]); len(text) > 70_000 || !strings.HasSuffix(text, " [line truncated]") {
		t.Errorf("long line: got %d bytes, end %q", len(text), text[len(text)-30:])
	}
}

func TestDescribeIsAskedOncePerContent(t *testing.T) {
	dir, count := filepath.Join(t.TempDir(), "plugins"), filepath.Join(t.TempDir(), "count")
	say := func(version string) string {
		return `echo x >> ` + count + `; echo '{"kind":"provider","type":"probe","version":"` + version + `","protocols":[1]}'`
	}
	path := script(t, dir, "sandlot-provider-probe", say("1"))
	p := plugins.New(plugins.Options{Dirs: []string{dir}})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if d, err := p.Describe(t.Context(), plugins.Provider, "probe", nil); err != nil || d.Version != "1" {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
	group.Wait()
	if asked, err := os.ReadFile(count); err != nil || len(asked) != 2 {
		t.Errorf("asked %d times, %v, want once", len(asked)/2, err)
	}
	script(t, dir, "sandlot-provider-probe", say("23"))
	if d, err := p.Describe(t.Context(), plugins.Provider, "probe", nil); err != nil || d.Version != "23" {
		t.Errorf("after a change of %s: got %+v, %v", path, d, err)
	}
}

func TestDescribeTellsWhatIsWrong(t *testing.T) {
	cases := []struct {
		name, body string
		class      sandbox.Class
		say        string
	}{
		{"no JSON", "echo Hello", sandbox.Internal, `"Hello"`},
		{"no description", "echo '{}'", sandbox.Internal, "no description"},
		{"another kind", `echo '{"kind":"harness","type":"probe","protocols":[1]}'`, sandbox.Invalid, "and has the name of"},
		{"another type", `echo '{"kind":"provider","type":"docker","protocols":[1]}'`, sandbox.Invalid, "and has the name of"},
		{"another protocol", `echo '{"kind":"provider","type":"probe","version":"9","protocols":[2,3]}'`, sandbox.Unsupported, "speaks protocol 2 and 3, this program speaks 1"},
		{"a failure", "echo 'no space' >&2; exit 3", sandbox.Unavailable, "exited with code 3 (no space)"},
		{"a hang", "sleep 60", sandbox.TimedOut, "did not answer"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "plugins")
			script(t, dir, "sandlot-provider-probe", c.body)
			p := plugins.New(plugins.Options{Dirs: []string{dir}})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := p.Schema(ctx, plugins.Provider, "probe", os.Environ())
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v (%s), want %s with %q", err, sandbox.ClassOf(err), c.class, c.say)
			}
		})
	}
}

func TestSchemaIsThePluginsOwn(t *testing.T) {
	p, _ := probe(t)
	block, err := p.Schema(t.Context(), plugins.Provider, "probe", nil)
	if err != nil || len(block.Attributes) != 3 || block.Attributes[0].Name != "say" {
		t.Errorf("got %+v, %v", block, err)
	}
}

func TestARefusedConfigurationEndsTheProcess(t *testing.T) {
	p, home := probe(t)
	_, _, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{Type: "probe", Environ: os.Environ()},
		plugins.Configure{Config: []byte(`{"say":"refuse"}`)})
	if !errors.Is(err, sandbox.Unauthenticated) {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(filepath.Join(home, "sockets", "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("sockets left: %v, %v", left, err)
	}
}

func TestSocketsOfDeadHostsAreSwept(t *testing.T) {
	p, home := probe(t)
	shared := filepath.Join(home, "sockets")
	of := func(pid int) string { // as this process's folder is called, with another id
		name := filepath.Base(plugin.HostSockets(shared))
		return filepath.Join(shared, strings.Replace(name, fmt.Sprint(os.Getpid()), fmt.Sprint(pid), 1))
	}
	dead := filepath.Join(of(1<<31-2), "plugin-dir1") // no process has such an id
	alive := of(os.Getppid())
	must(t, os.MkdirAll(dead, 0o700))
	must(t, os.MkdirAll(alive, 0o700))
	_, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{Type: "probe", Environ: os.Environ()}, plugins.Configure{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proc.Close() }()
	if _, err := os.Stat(filepath.Dir(dead)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead host's folder is still there: %v", err)
	}
	if _, err := os.Stat(alive); err != nil {
		t.Errorf("a living host's folder is gone: %v", err)
	}
}
