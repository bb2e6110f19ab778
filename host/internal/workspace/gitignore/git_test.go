package gitignore_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitignore"
)

// TestRulesAreThoseOfGit asks git about many made-up files and paths.
func TestRulesAreThoseOfGit(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[dice.IntN(len(of))] }
	some := func(most int, piece func() string) string {
		var b strings.Builder
		for range 1 + dice.IntN(most) {
			b.WriteString(piece())
		}
		return b.String()
	}
	repo := t.TempDir()
	git(t, repo, nil, "init", "-q")
	tried, ignored := 0, 0
	for range 150 {
		files := map[string]string{}
		for _, dir := range []string{"", "a", "a/b"} {
			files[dir] = some(5, func() string {
				return pick("", "", "!", "/", "!/") + some(6, func() string {
					return pick("a", "b", "ab", ".c", "*", "*", "**", "?", "/", "/", "/**/", "[ab]", "[!a]", "[^b-z]", "[[:alpha:]]", "[]a]", `\a`, `\*`, "[", "]", " ", "-", "#", "!")
				}) + pick("", "", "/", " ", `\ `, "/ ") + pick("\n", "\n", "\r\n", "\n\n", "\r")
			})
			write(t, filepath.Join(repo, dir, ".gitignore"), files[dir])
		}
		var asked []string
		for range 60 {
			asked = append(asked, pick("", "a/", "a/b/")+some(4, func() string { return pick("a", "b", "ab", ".c", "-", "a b", "*", "[", "x/", "a/", "b/") })+pick("a", "b", ".c"))
		}
		want := oracle(t, repo, asked)
		for i, path := range asked {
			tried++
			if want[i] {
				ignored++
			}
			if got := decide(files, path); got != want[i] {
				t.Errorf("%q: ignored %v, git says %v, with %q", path, got, want[i], files)
			}
		}
		if t.Failed() {
			return
		}
	}
	if ignored < tried/20 || ignored > tried*19/20 {
		t.Errorf("of %d paths %d are ignored: that tries little", tried, ignored)
	}
}

// decide walks down to path, as whoever copies a tree does.
func decide(files map[string]string, path string) bool {
	_, isDir := files[path] // those folders exist
	parts := strings.Split(path, "/")
	var rules *gitignore.Rules
	for i := range parts {
		dir := strings.Join(parts[:i], "/")
		if text, ok := files[dir]; ok {
			rules = rules.In(dir, []byte(text))
		}
		if rules.Ignored(strings.Join(parts[:i+1], "/"), i < len(parts)-1 || isDir) {
			return true
		}
	}
	return false
}

func oracle(t *testing.T, repo string, paths []string) []bool {
	t.Helper()
	out := git(t, repo, []byte(strings.Join(paths, "\x00")+"\x00"), "check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching")
	fields := bytes.Split(out, []byte{0}) // source, line, pattern, path
	if len(fields) != 4*len(paths)+1 {
		t.Fatalf("git answers with %d fields for %d paths", len(fields), len(paths))
	}
	answers := make([]bool, len(paths))
	for i := range paths {
		if diff := cmp.Diff(paths[i], string(fields[4*i+3])); diff != "" {
			t.Fatal(diff)
		}
		pattern := string(fields[4*i+2])
		answers[i] = pattern != "" && !strings.HasPrefix(pattern, "!")
	}
	return answers
}

func git(t *testing.T, dir string, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.Output()
	if err != nil && (len(args) == 0 || args[0] != "check-ignore" || cmd.ProcessState.ExitCode() != 1) {
		t.Fatalf("git %q: %v", args, err)
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
