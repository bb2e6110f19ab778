//go:build linux

package plugins_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// bad is one kind of bad plugin: how it comes to be in the folder, and what a
// person is told who uses it. In what is told, DIR stands for the folder, and
// REPORT for a crash report's path.
type bad struct {
	name  string
	make  func(t *testing.T, path string)
	env   string // ROGUE's value
	conf  string
	class sandbox.Class
	tell  string
}

// TestEachKindOfBadPluginHasItsMessage starts each as a run would: find,
// describe, launch, configure, one call. None may take long, or leave anything.
func TestEachKindOfBadPluginHasItsMessage(t *testing.T) {
	for _, list := range [][]bad{files(), describes(), starts(), calls()} {
		for _, c := range list {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.try(t)
			})
		}
	}
}

func (c bad) try(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "plugins")
	must(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, "sandlot-provider-probe")
	c.make(t, path)
	limits := plugins.Options{ // what doesn't hang may be slow on a busy machine
		Home: home, DescribeTimeout: time.Minute, StartTimeout: time.Minute, Timeouts: plugin.Timeouts{Unary: time.Minute},
	}
	switch doing, _, hangs := strings.Cut(c.tell, " within "); {
	case hangs && strings.HasPrefix(doing, "describe "):
		limits.DescribeTimeout = 2 * time.Second
	case hangs && strings.HasPrefix(doing, "start "):
		limits.StartTimeout = 3 * time.Second
	case hangs:
		limits.Timeouts.Unary = 2 * time.Second
	}
	p := plugins.New(limits)
	environ := append(os.Environ(), "ROGUE="+c.env, "SANDLOT_MARK="+home)
	began := time.Now()
	provider, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
		Type: "probe", Environ: environ, CloseTimeout: 300 * time.Millisecond,
	}, plugins.Configure{Config: []byte(c.conf), Block: `provider "probe" "p"`, At: "app.hcl:3"})
	if err == nil {
		_, err = provider.List(t.Context())
		must(t, proc.Close())
	}
	took := time.Since(began)
	if err == nil {
		t.Fatal("it is taken for a good one")
	}
	got := strings.ReplaceAll(err.Error(), dir, "DIR")
	got = regexp.MustCompile(regexp.QuoteMeta(home)+`/crashes/\S*\.txt`).ReplaceAllString(got, "REPORT")
	got = regexp.MustCompile(`rpc error: .*`).ReplaceAllString(got, "rpc error ...") // the library's own words
	if diff := cmp.Diff(c.tell, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !errors.Is(err, c.class) {
		t.Errorf("class %s, want %s", sandbox.ClassOf(err), c.class)
	}
	if plugins.Killed(err) != strings.Contains(c.tell, "was killed") {
		t.Errorf("taken for killed from outside: %v", plugins.Killed(err))
	}
	if took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "sockets", "*", "*")); len(left) > 0 {
		t.Errorf("sockets left: %v", left)
	}
	eventually(t, "the end of all of it", func() bool { return len(marked(home)) == 0 })
}

// marked are the processes that have a test's mark in their environment.
func marked(mark string) []string {
	var found []string
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range list {
		if env, err := os.ReadFile(file); err == nil && bytes.Contains(env, []byte("SANDLOT_MARK="+mark+"\x00")) {
			found = append(found, file)
		}
	}
	return found
}

// shell is a plugin made of what a shell does.
func shell(body string) func(*testing.T, string) {
	return func(t *testing.T, path string) { script(t, filepath.Dir(path), filepath.Base(path), body) }
}

// served is a plugin that describes itself well, and then does what a shell does.
func served(body string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		shell(`[ "$1" = describe ] && exec "`+os.Getenv("TEST_ROGUE")+`" describe`+"\n"+body)(t, path)
	}
}

// linked is a program that was built for the tests.
func linked(variable string) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.Link(os.Getenv(variable), path)) }
}

// content is a file.
func content(data string, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		must(t, os.WriteFile(path+".new", []byte(data), mode))
		must(t, os.Chmod(path+".new", mode))
		must(t, os.Rename(path+".new", path))
	}
}
