//go:build unix

package plugins_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// lodge is a host's folder with a plugin of its own, that counts how often it is
// asked.
type lodge struct {
	home, dir, path, count string
}

// newLodge has the program of TEST_PLUGIN by a link, which leaves its time of
// change alone.
func newLodge(t *testing.T) *lodge {
	t.Helper()
	home := t.TempDir()
	l := &lodge{home: home, dir: filepath.Join(home, "plugins"), count: filepath.Join(home, "count")}
	l.path = filepath.Join(l.dir, "sandlot-provider-probe")
	must(t, os.Mkdir(l.dir, 0o755))
	must(t, os.Symlink(os.Getenv("TEST_SETTLED"), l.path))
	l.settle(t)
	return l
}

// settle waits until a change of the program would be seen.
func (l *lodge) settle(t *testing.T) {
	t.Helper()
	info, err := os.Stat(l.path)
	must(t, err)
	eventually(t, "the program to have been there for a while", func() bool { return time.Since(info.ModTime()) > 2200*time.Millisecond })
}

func (l *lodge) environ() []string { return append(os.Environ(), "SANDLOT_TEST_COUNT="+l.count) }

// process is what another host process would have.
func (l *lodge) process() *plugins.Plugins { return plugins.New(plugins.Options{Home: l.home}) }

// use is what another host process does with the plugin's block.
func (l *lodge) use(t *testing.T) {
	t.Helper()
	block, err := l.process().Schema(t.Context(), plugins.Provider, "probe", l.environ())
	if err != nil || len(block.Attributes) != 3 {
		t.Fatalf("got %+v, %v", block, err)
	}
}

func (l *lodge) asked(t *testing.T, want int) {
	t.Helper()
	data, err := os.ReadFile(l.count)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if len(data) != want {
		t.Errorf("the program was asked %d times, want %d", len(data), want)
	}
}

// kept is the file that tells later processes.
func (l *lodge) kept(t *testing.T) string {
	t.Helper()
	list := l.files(t)
	if len(list) != 1 {
		t.Fatalf("there are %v, want one file", list)
	}
	return list[0]
}

func (l *lodge) files(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(l.home, "cache", "plugins", "*"))
	must(t, err)
	return list
}

func TestAProgramIsAskedOnceForAllProcesses(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	for range 3 {
		l.use(t)
	}
	version, err := l.process().Version(t.Context(), plugins.Provider, "probe", l.environ())
	if err != nil || version != "0.1.0" {
		t.Errorf("version: got %q, %v", version, err)
	}
	_, proc, err := l.process().LaunchProvider(t.Context(), plugins.LaunchOptions{Type: "probe", Environ: l.environ()}, plugins.Configure{})
	must(t, err)
	must(t, proc.Close())
	l.asked(t, 1)
	data, err := os.ReadFile(l.path)
	must(t, err)
	if sum := sha256.Sum256(data); proc.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the sum taken over is %s, the file's is %x", proc.SHA256, sum)
	}
	info, err := os.Stat(l.kept(t))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestWhatIsOfThisMachineIsAskedEachTime(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	for range 2 {
		p := l.process()
		for range 2 { // the second time, this process knows
			if _, err := p.Schema(t.Context(), plugins.Provider, "probe", l.environ()); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Describe(t.Context(), plugins.Provider, "probe", l.environ()); err != nil {
				t.Fatal(err)
			}
		}
	}
	l.asked(t, 2) // once by each process
}

func TestWhatIsKeptOfAProgramIsNoLeaveToRunIt(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	l.use(t)
	must(t, os.Chmod(l.dir, 0o777)) // the file itself is as it was
	_, err := l.process().Schema(t.Context(), plugins.Provider, "probe", l.environ())
	if !errors.Is(err, sandbox.Denied) || !strings.Contains(err.Error(), "others may write the folder") {
		t.Errorf("got %v", err)
	}
}

// TestAChangedProgramIsAskedAnew has each way in which another program comes to
// be under a name.
func TestAChangedProgramIsAskedAnew(t *testing.T) {
	cases := []struct {
		name   string
		change func(t *testing.T, path string, was os.FileInfo)
	}{
		{"another took its name", func(t *testing.T, path string, _ os.FileInfo) {
			copyProgram(t, path, path+".new")
			must(t, os.Rename(path+".new", path))
		}},
		{"another of its size and time took its name", func(t *testing.T, path string, was os.FileInfo) {
			copyProgram(t, path, path+".new")
			must(t, os.Chtimes(path+".new", was.ModTime(), was.ModTime()))
			must(t, os.Rename(path+".new", path))
		}},
		{"it was written over, and its time set back", func(t *testing.T, path string, was os.FileInfo) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt([]byte{0}, was.Size()-1)
			must(t, errors.Join(err, f.Close()))
			must(t, os.Chtimes(path, was.ModTime(), was.ModTime()))
		}},
		{"it was away and came back", func(t *testing.T, path string, _ os.FileInfo) {
			must(t, os.Rename(path, path+".old"))
			must(t, os.Rename(path+".old", path))
		}},
		{"its time is another", func(t *testing.T, path string, _ os.FileInfo) {
			must(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLodge(t)
			must(t, os.Remove(l.path))
			copyProgram(t, os.Getenv("TEST_SETTLED"), l.path)
			l.settle(t)
			l.use(t)
			l.use(t)
			l.asked(t, 1)
			info, err := os.Stat(l.path)
			must(t, err)
			c.change(t, l.path, info)
			l.use(t)
			l.use(t) // nor is it kept yet: another change within the clock's tick wouldn't be seen
			l.asked(t, 3)
		})
	}
}

// TestALinkThatLedElsewhereMeanwhileTellsNothing has a link turned while the
// program is asked: no file has changed, and the answer may be either's.
func TestALinkThatLedElsewhereMeanwhileTellsNothing(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	other := filepath.Join(l.home, "other")
	copyProgram(t, l.path, other)
	p := l.process()
	environ := append(l.environ(), "SANDLOT_TEST_FLIP="+l.path+":"+other)
	if _, err := p.Schema(t.Context(), plugins.Provider, "probe", environ); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(l.path); err != nil || target != other {
		t.Fatalf("the link leads to %s, %v", target, err)
	}
	must(t, os.Remove(l.path))
	must(t, os.Symlink(os.Getenv("TEST_SETTLED"), l.path)) // back to the first
	l.use(t)
	l.asked(t, 2)
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o755))
}

// TestAnUnsoundFileIsIgnoredAndWrittenAnew has each way in which what is kept
// can't be relied on.
func TestAnUnsoundFileIsIgnoredAndWrittenAnew(t *testing.T) {
	// edit writes the file with another value in it.
	edit := func(change func(all, program map[string]any)) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			rewrite(t, file, change)
		}
	}
	cases := []struct {
		name   string
		damage func(t *testing.T, file string)
	}{
		{"it is empty", func(t *testing.T, file string) { must(t, os.Truncate(file, 0)) }},
		{"it is cut off", func(t *testing.T, file string) {
			info, err := os.Stat(file)
			must(t, err)
			must(t, os.Truncate(file, info.Size()-2))
		}},
		{"it is all zeros", func(t *testing.T, file string) { must(t, os.WriteFile(file, make([]byte, 4096), 0o600)) }},
		{"it has no end", func(t *testing.T, file string) { must(t, os.Truncate(file, 1<<40)) }},
		{"it is of another program", edit(func(_, program map[string]any) { program["path"] = "/bin/other" })},
		{"it is of another device", edit(func(_, program map[string]any) { program["device"] = 0 })},
		{"its sum is no sum", edit(func(all, _ map[string]any) { all["sha256"] = "../../x" })},
		{"it describes nothing", edit(func(all, _ map[string]any) { all["description"] = map[string]any{} })},
		{"it describes another plugin", edit(func(all, _ map[string]any) {
			all["description"].(map[string]any)["type"] = "other"
		})},
		{"it describes another protocol", edit(func(all, _ map[string]any) {
			all["description"].(map[string]any)["protocols"] = []int{9}
		})},
		{"others may read it", func(t *testing.T, file string) { must(t, os.Chmod(file, 0o644)) }},
		{"others may write it", func(t *testing.T, file string) { must(t, os.Chmod(file, 0o602)) }},
		{"it is a link to it", func(t *testing.T, file string) {
			must(t, os.Rename(file, file+".real"))
			must(t, os.Symlink(filepath.Base(file)+".real", file))
		}},
		{"it is a link out of the folder", func(t *testing.T, file string) {
			away := filepath.Join(t.TempDir(), "away")
			must(t, os.Rename(file, away))
			must(t, os.Symlink(away, file))
		}},
		{"it is a pipe", func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, syscall.Mkfifo(file, 0o600))
		}},
	}
	if os.Geteuid() == 0 { // nobody else can give a file away
		cases = append(cases, struct {
			name   string
			damage func(t *testing.T, file string)
		}{"it is somebody else's", func(t *testing.T, file string) { must(t, os.Chown(file, 12345, 12345)) }})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLodge(t)
			l.use(t)
			file := l.kept(t)
			rewrite(t, file, func(_, _ map[string]any) {})
			l.use(t)
			l.asked(t, 1) // whatever is ignored below, it isn't for having been rewritten
			c.damage(t, file)
			l.use(t)
			l.asked(t, 2)
			l.use(t)
			l.asked(t, 2)
			info, err := os.Lstat(file)
			if err != nil || info.Mode() != 0o600 || info.Size() == 0 || info.Size() > 64<<10 {
				t.Errorf("it is %v now, %v", info, err)
			}
		})
	}
}

func rewrite(t *testing.T, file string, change func(all, program map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	var all map[string]any
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber() // a nanosecond has more digits than a float
	must(t, numbers.Decode(&all))
	change(all, all["program"].(map[string]any))
	data, err = json.Marshal(all)
	must(t, err)
	must(t, os.WriteFile(file, data, 0o600))
}

// TestAProgramThatIsNotWhatIsKeptIsAskedAndStartedAnew forges a description of
// which the file tells nothing.
func TestAProgramThatIsNotWhatIsKeptIsAskedAndStartedAnew(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	l.use(t)
	data, err := os.ReadFile(l.kept(t))
	must(t, err)
	forged := strings.Replace(string(data), `"PROBE_TOKEN"`, `"PROBE_OTHER"`, 1)
	must(t, os.WriteFile(l.kept(t), []byte(forged), 0o600))
	provider, proc, err := l.process().LaunchProvider(t.Context(), plugins.LaunchOptions{
		Type: "probe", Environ: append(l.environ(), "PROBE_TOKEN=t", "PROBE_OTHER=t"),
	}, plugins.Configure{})
	must(t, err)
	defer func() { _ = proc.Close() }()
	list, err := provider.List(t.Context())
	must(t, err)
	var env []string
	for _, s := range list {
		env = append(env, s.ID)
	}
	if !slices.Contains(env, "PROBE_TOKEN=t") || slices.Contains(env, "PROBE_OTHER=t") {
		t.Errorf("it was given what it isn't to have: %v", env)
	}
	l.asked(t, 2)
	if now, err := os.ReadFile(l.kept(t)); err != nil || string(now) != string(data) {
		t.Errorf("kept now: %s, %v", now, err)
	}
}
