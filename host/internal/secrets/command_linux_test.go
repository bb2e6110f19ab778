package secrets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func fetcherIn(dir string) *Fetcher {
	path := "PATH=" + dir + ":/usr/local/bin:/usr/bin:/bin"
	return &Fetcher{
		Home:    filepath.Join(dir, "home"),
		Env:     func(name string) (string, bool) { v, ok := strings.CutPrefix(path, name+"="); return v, ok },
		Environ: []string{path, "GREETING=hello from here"},
	}
}

func shell(script string) Source {
	return Source{Command: []string{"sh", "-c", script}, Dir: "/", Redact: true}
}

func TestACommandPrintsAValue(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "give.sh"), []byte("#!/bin/sh\necho from-"+`"$1"`+" here\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		src     Source
		value   string
		problem string
	}{
		{"one line", shell("echo " + canary), canary, ""},
		{"as it is, without its last line's end", shell(`printf ' a  b\n\n'; printf 'c\r\n'`), " a  b\n\nc", ""},
		{"of its environment", shell(`printf "$GREETING"`), "hello from here", ""},
		{"in the project's folder", Source{Command: []string{"pwd"}, Dir: dir, Redact: true}, dir, ""},
		{"of a program in the project's folder", Source{Command: []string{"./give.sh", "a;b $X"}, Dir: dir, Redact: true}, "from-a;b $X here", ""},
		{"without input", shell("cat; echo " + canary), canary, ""},
		{"without a terminal", shell("if (: </dev/tty) 2>/dev/null; then echo terminal; else echo " + canary + "; fi"), canary, ""},
		{"beside what it says", shell("echo note >&2; echo " + canary), canary, ""},
		{"although it leaves a daemon with its output", shell("sleep 2 & echo " + canary), canary, ""},
		{"nothing", shell("echo locked >&2"), "", "its command printed nothing; it said: locked; run it by hand and see"},
		{"an empty line", shell("echo"), "", "its command printed nothing; run it by hand and see"},
		{"an exit code", shell("echo half; echo 'not' >&2; printf '\\033[1mfound\\t\\n' >&2; exit 7"), "", "its command ended with exit code 7; it said: not [1mfound; run it by hand and see"},
		{"a signal", shell("kill -9 $$"), "", "its command was ended by signal 9; run it by hand and see"},
		{"too much", shell("head -c 100000 /dev/zero | tr '\\0' x"), "", "its command printed more than 65536 bytes, too many for a secret; have it print the value and nothing else"},
		{"too little", shell("echo 1234567"), "", "its value, from the command sh -c echo 1234567, has fewer than 8 bytes, too few to scrub from output; use a longer one, or set redact = false in its secret block"},
		{"no program", Source{Command: []string{"no-such-program"}, Dir: dir}, "", `there is no program "no-such-program" on PATH, which its command begins with; install it, or give its path in ` + "`command` in its secret block"},
		{"no file", Source{Command: []string{"./none"}, Dir: dir}, "", "the program " + dir + "/none doesn't exist; create it, or correct `command` in its secret block"},
		{"what it says of the value", shell("echo " + canary + "; echo " + canary + " is locked >&2; exit 1"), "", "its command ended with exit code 1; it said: *** is locked; run it by hand and see"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			set, err := fetcherIn(dir).Resolve(t.Context(), map[string]Source{"S": c.src})
			problem := ""
			if err != nil {
				problem = strings.TrimPrefix(err.Error(), "resolve secret S: ")
			}
			if set.values["S"] != c.value || problem != c.problem {
				t.Errorf("got %.80q, %q\nwant %.80q, %q", set.values["S"], problem, c.value, c.problem)
			}
		})
	}
}

// What one command says may hold what another secret is.
func TestACommandsWordsAreScrubbedOfOtherSecrets(t *testing.T) {
	f := fetcherIn(t.TempDir())
	f.Values = map[string]string{"Z": canary}
	_, err := f.Resolve(t.Context(), map[string]Source{"A": shell("echo wrong password " + canary + " >&2; exit 1"), "Z": {Value: true, Redact: true}})
	if err == nil || strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "wrong password ***") {
		t.Errorf("got %v", err)
	}
}

func TestACommandThatHangsIsEndedWithAllThatItStarted(t *testing.T) {
	dir := t.TempDir()
	f := fetcherIn(dir)
	f.timeout = time.Second
	script := "echo $$ >" + dir + "/a; trap '' TERM; setsid sh -c 'echo $$ >" + dir + "/b; sleep 300' & sleep 300; echo no"
	_, err := f.Resolve(t.Context(), map[string]Source{"S": shell(script)})
	if err == nil || !strings.Contains(err.Error(), "its command took more than 1s and was ended") {
		t.Fatalf("got %v", err)
	}
	gone(t, filepath.Join(dir, "a"))
	gone(t, filepath.Join(dir, "b"))
}

func TestACommandEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	f := fetcherIn(dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := unix.Mkfifo(filepath.Join(dir, "up"), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = os.ReadFile(filepath.Join(dir, "up")) // it runs
		cancel()
	}()
	_, err := f.Resolve(ctx, map[string]Source{"S": shell("echo $$ >" + dir + "/a; echo >" + dir + "/up; sleep 300")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	gone(t, filepath.Join(dir, "a"))
}

func gone(t *testing.T, file string) {
	t.Helper()
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %s lives: %s", pid, stat)
	}
}

func TestACommandRunsOnce(t *testing.T) {
	dir := t.TempDir()
	f := fetcherIn(dir)
	sources := map[string]Source{
		"S": shell("echo x >>" + dir + "/good; echo " + canary),
		"T": shell("echo x >>" + dir + "/bad; exit 1"),
	}
	for range 3 {
		set, err := f.Resolve(t.Context(), sources)
		if err == nil || set.values["S"] != canary {
			t.Errorf("got %v, %v", set.values["S"], err)
		}
		if err := f.Look(t.Context(), sources); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"good", "bad"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); string(data) != "x\n" {
			t.Errorf("%s ran %d times: %v", name, len(data)/2, err)
		}
	}
}

func TestToLookRunsNoCommand(t *testing.T) {
	dir := t.TempDir()
	sources := map[string]Source{
		"A": shell("echo x >" + dir + "/ran"),
		"B": {Command: []string{"no-such-program"}, Dir: dir},
		"C": {Env: "NONE", Redact: true},
	}
	err := fetcherIn(dir).Look(t.Context(), sources)
	if err == nil || strings.Contains(err.Error(), "secret A") || strings.Index(err.Error(), "secret B") > strings.Index(err.Error(), "secret C") {
		t.Errorf("got %v", err)
	}
	f := fetcherIn(dir)
	f.NoCommands = true
	if _, err := f.Resolve(t.Context(), map[string]Source{"A": sources["A"]}); err == nil || !strings.Contains(err.Error(), "its command isn't run for this") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}
