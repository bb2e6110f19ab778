//go:build unix

package plugins_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestTheFirstFolderThatHasAPluginWins(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	p := plugins.New(plugins.Options{
		Dirs: []string{at("flag1"), at("flag2")}, EnvDirs: at("env1") + string(os.PathListSeparator) + at("env2"),
		Executable: at("bin/sandlot"), Home: at("home"), DataHome: at("data"),
	})
	want := []string{
		at("flag1"), at("flag2"), at("env1"), at("env2"), at("bin/plugins"), at("home/plugins"), at("data/sandlot/plugins"),
	}
	if diff := cmp.Diff(want, p.Folders()); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	for i := len(want) - 1; i >= 0; i-- {
		install(t, want[i], "sandlot-provider-probe")
		c, err := p.Find(plugins.Provider, "probe")
		if err != nil || c.Path != filepath.Join(want[i], "sandlot-provider-probe") {
			t.Errorf("got %+v, %v, want the one in %s", c, err, want[i])
		}
	}
	hidden := 0
	for _, c := range p.Candidates() {
		if c.Hidden {
			hidden++
		}
	}
	if hidden != len(want)-1 {
		t.Errorf("%d candidates are hidden, want %d", hidden, len(want)-1)
	}
}

func TestWhatOthersMayChangeIsRefused(t *testing.T) {
	cases := []struct {
		name   string
		change func(t *testing.T, dir, path string)
		say    string
		fix    string
	}{
		{"a file that the world may write", chmodFile(0o757), "others may write the file", "chmod go-w"},
		{"a file that the group may write", chmodFile(0o775), "others may write the file", "chmod go-w"},
		{"a file that isn't executable", chmodFile(0o644), "not executable", "chmod +x"},
		{"a folder that the world may write", chmodDir(0o757), "others may write the folder", "chmod go-w"},
		{"a folder that the group may write", chmodDir(0o775), "others may write the folder", "chmod go-w"},
		{"a shared temporary folder", chmodDir(0o777 | fs.ModeSticky), "others may write the folder", "chmod go-w"},
		{"a folder in one that the world may write", chmodAbove(0o777), "everybody may write the folder", "chmod o-w"},
		{"a folder", func(t *testing.T, _, path string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o755))
		}, "not a file", ""},
		{"a link that leads nowhere", func(t *testing.T, dir, path string) {
			must(t, os.Remove(path))
			must(t, os.Symlink(filepath.Join(dir, "missing"), path))
		}, "leads nowhere", ""},
		{"a link into a folder that others may write", func(t *testing.T, _, path string) {
			open := filepath.Join(t.TempDir(), "open")
			must(t, os.Mkdir(open, 0o755))
			must(t, os.Rename(path, filepath.Join(open, "x")))
			must(t, os.Chmod(open, 0o777))
			must(t, os.Symlink(filepath.Join(open, "x"), path))
		}, "others may write the folder", "chmod go-w"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "above", "plugins")
			path := script(t, dir, "sandlot-provider-probe", "exit 0")
			p := plugins.New(plugins.Options{Dirs: []string{dir}})
			if _, err := p.Find(plugins.Provider, "probe"); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			c.change(t, dir, path)
			_, err := p.Find(plugins.Provider, "probe")
			if !errors.Is(err, sandbox.Denied) || !strings.Contains(err.Error(), c.say) ||
				!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.fix) {
				t.Errorf("got %v, want %q and %q in it", err, c.say, c.fix)
			}
			if list := p.Candidates(); len(list) != 1 || list[0].Refused == "" {
				t.Errorf("candidates: got %+v", list)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func chmodFile(mode fs.FileMode) func(*testing.T, string, string) {
	return func(t *testing.T, _, path string) { must(t, os.Chmod(path, mode)) }
}

func chmodDir(mode fs.FileMode) func(*testing.T, string, string) {
	return func(t *testing.T, dir, _ string) { must(t, os.Chmod(dir, mode)) }
}

func chmodAbove(mode fs.FileMode) func(*testing.T, string, string) {
	return func(t *testing.T, dir, _ string) { must(t, os.Chmod(filepath.Dir(dir), mode)) }
}

func TestARefusedFileDoesNotHideAnAcceptableOne(t *testing.T) {
	bad, good := filepath.Join(t.TempDir(), "bad"), filepath.Join(t.TempDir(), "good")
	must(t, os.Chmod(script(t, bad, "sandlot-provider-probe", ""), 0o666))
	want := script(t, good, "sandlot-provider-probe", "")
	list := bad + string(filepath.ListSeparator) + good
	c, err := plugins.New(plugins.Options{EnvDirs: list}).Find(plugins.Provider, "probe")
	if err != nil || c.Path != want {
		t.Errorf("got %+v, %v", c, err)
	}
	// A folder that was named for it is another matter: no other file will do.
	if c, err := plugins.New(plugins.Options{Dirs: []string{bad}, EnvDirs: good}).Find(plugins.Provider, "probe"); err == nil {
		t.Errorf("got %+v in place of the one that is meant", c)
	}
}

func TestFindTellsWhatMayHaveBeenMeant(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugins")
	script(t, dir, "sandlot-provider-docker", "")
	script(t, dir, "sandlot-provider-localprocess", "")
	script(t, dir, "sandlot-harness-acp", "")
	script(t, dir, "README", "")
	p := plugins.New(plugins.Options{Dirs: []string{dir, "/no/such/folder"}})
	cases := []struct {
		name, typ string
		kind      plugins.Kind
		say       string
	}{
		{"a slip of the fingers", "dokcer", plugins.Provider, `did you mean "docker"?`},
		{"something else", "kubernetes", plugins.Provider, "there are: docker, localprocess"},
		{"the other kind", "acp", plugins.Provider, `"acp" is a harness`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := p.Find(c.kind, c.typ)
			if !errors.Is(err, sandbox.NotFound) || !strings.Contains(err.Error(), c.say) ||
				!strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "/no/such/folder") {
				t.Errorf("got %v, want %q and the folders in it", err, c.say)
			}
		})
	}
	if _, err := plugins.New(plugins.Options{}).Find(plugins.Provider, "x"); !strings.Contains(err.Error(), "--plugin-dir") {
		t.Errorf("without a folder: got %v", err)
	}
}
