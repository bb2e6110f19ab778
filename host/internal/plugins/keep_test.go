//go:build unix

package plugins_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

func TestNothingIsKeptWhereThereIsNoPlace(t *testing.T) {
	cases := []struct {
		name  string
		setup func(t *testing.T, l *lodge) plugins.Options
	}{
		{"who only looks", func(_ *testing.T, l *lodge) plugins.Options { return plugins.Options{Home: l.home, Traceless: true} }},
		{"a host without a folder", func(_ *testing.T, l *lodge) plugins.Options { return plugins.Options{Dirs: []string{l.dir}} }},
		{"a folder that isn't there", func(t *testing.T, l *lodge) plugins.Options {
			return plugins.Options{Dirs: []string{l.dir}, Home: filepath.Join(l.home, "none")}
		}},
		{"a file where the folder would be", func(t *testing.T, l *lodge) plugins.Options {
			must(t, os.WriteFile(filepath.Join(l.home, "cache"), nil, 0o600))
			return plugins.Options{Home: l.home}
		}},
		{"a link out of it", func(t *testing.T, l *lodge) plugins.Options {
			away := t.TempDir()
			must(t, os.Symlink(away, filepath.Join(l.home, "cache")))
			t.Cleanup(func() {
				if left, err := os.ReadDir(away); err != nil || len(left) > 0 {
					t.Errorf("written through the link: %v, %v", left, err)
				}
			})
			return plugins.Options{Home: l.home}
		}},
		{"a script", func(t *testing.T, l *lodge) plugins.Options {
			must(t, os.Remove(l.path))
			script(t, l.dir, filepath.Base(l.path), `exec "`+os.Getenv("TEST_SETTLED")+`" "$@"`)
			l.settle(t)
			return plugins.Options{Home: l.home}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLodge(t)
			opts := c.setup(t, l)
			for range 2 {
				if _, err := plugins.New(opts).Schema(t.Context(), plugins.Provider, "probe", l.environ()); err != nil {
					t.Fatal(err)
				}
			}
			l.asked(t, 2)
			if files := l.files(t); len(files) > 0 {
				t.Errorf("there are %v", files)
			}
			if _, err := os.Stat(filepath.Join(l.home, "none")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it was made: %v", err)
			}
		})
	}
}

func TestWhatIsKeptHasItsBounds(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	folder := filepath.Join(l.home, "cache", "plugins")
	must(t, os.MkdirAll(folder, 0o700))
	put := func(name string, age time.Duration) string {
		file := filepath.Join(folder, name)
		must(t, os.WriteFile(file, []byte("{}"), 0o600))
		must(t, os.Chtimes(file, time.Now().Add(-age), time.Now().Add(-age)))
		return file
	}
	for i := range 80 {
		put(string(rune('a'+i%26))+string(rune('a'+i/26))+".json", time.Duration(i+1)*time.Minute)
	}
	dead, alive := put(".new-dead", 2*time.Hour), put(".new-alive", time.Minute)
	l.use(t)
	if files := l.files(t); len(files) != 64+1 {
		t.Errorf("there are %d files, want 64 and one in the writing", len(files))
	}
	for file, want := range map[string]bool{
		dead: false, alive: true, filepath.Join(folder, "aa.json"): true, filepath.Join(folder, "bd.json"): false,
	} {
		if _, err := os.Stat(file); (err == nil) != want {
			t.Errorf("%s: there %t, want %t", file, err == nil, want)
		}
	}
	l.use(t)
	l.asked(t, 1)
}

func TestManyProcessesKeepAtOnce(t *testing.T) {
	t.Parallel()
	l := newLodge(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 3 {
				l.use(t)
			}
		})
	}
	group.Wait()
	l.kept(t) // one, and nothing in the writing
}
