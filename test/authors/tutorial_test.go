package authors

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository is the root of this repository.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// programs builds what a clone has in bin/ after `make build demo-agent`.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{
		"sandlot": "./host/cmd/sandlot", "sandlot-demo-agent": "./examples/demo-agent",
		"plugins/sandlot-provider-localprocess": "./plugins/localprocess", "plugins/sandlot-harness-acp": "./harnesses/acp",
	} {
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", filepath.Join(dir, to), from)
		build.Dir, build.Env = repository(t), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", from, err, out)
		}
	}
	return dir
}

// environment is that of a reader with a home of his own. Go's caches are this
// machine's, with what `make build` has compiled, and sums aren't asked for at a
// server that CI may not reach.
func environment(t *testing.T, bin string) []string {
	t.Helper()
	list := []string{
		"HOME=" + t.TempDir(), "SANDLOT=" + repository(t), "PATH=" + os.Getenv("PATH"), "BUILT=" + bin,
		"GOFLAGS=-mod=mod -buildvcs=false -trimpath", "CGO_ENABLED=0", "GONOSUMDB=*", "GOWORK=off", "LANG=C.UTF-8",
	}
	known, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(known), "\n")
	for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
		list = append(list, name+"="+values[i])
	}
	return list
}

// beforehand puts the built programs in the place of the clone's, which may be
// older. A sandbox finds the agent on the PATH.
const beforehand = `
sandlot() { PATH="$BUILT:$PATH" "$BUILT/sandlot" "$@"; }
`

// follow runs the blocks of a page in one shell, and compares.
func follow(t *testing.T, page, dir string, env []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	all, err := blocks(string(text))
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	var script strings.Builder
	script.WriteString(beforehand)
	const mark = "~~~ end of a command, code "
	all = slices.DeleteFunc(all, func(b block) bool { return b.excerpt })
	for _, b := range all {
		if b.file != "" {
			fmt.Fprintf(&script, "cat >%s <<'END OF THE FILE'\n%sEND OF THE FILE\n", b.file, b.content)
		}
		for _, c := range b.commands {
			fmt.Fprintf(&script, "%s\nprintf '\\n%s%%s\\n' $?\n", c, mark)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script.String())
	shell.Dir, shell.Env = dir, env
	var seen bytes.Buffer
	shell.Stdout, shell.Stderr = &seen, &seen
	err = shell.Run()
	parts := strings.Split(seen.String(), "\n"+mark)
	i := 0
	for _, b := range all {
		for k, c := range b.commands {
			if i+1 >= len(parts) {
				t.Fatalf("%s:%d: the shell has ended (%v) before: %s\n%s", page, b.line, err, c, parts[len(parts)-1])
			}
			text := parts[i]
			if i > 0 {
				_, text, _ = strings.Cut(text, "\n") // the code of the command before
			}
			lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
			if !matches(b.output[k], lines) {
				t.Errorf("%s:%d: $ %s\nshould print\n%s\nbut prints\n%s", page, b.line, c, strings.Join(b.output[k], "\n"), text)
			}
			code, _, _ := strings.Cut(parts[i+1], "\n")
			if code != "0" && len(b.output[k]) == 0 {
				t.Errorf("%s:%d: $ %s\nends with code %s:\n%s", page, b.line, c, code, text)
			}
			i++
		}
	}
}

func TestTheTutorialsDoWhatTheySay(t *testing.T) {
	bin := programs(t)
	for _, c := range []struct{ page, folder, example string }{
		{"build-a-provider.md", "provider-minimal", "provider-minimal"},
		{"build-a-harness.md", "harness-parrot", ""},
	} {
		t.Run(c.page, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			follow(t, c.page, dir, environment(t, bin))
			if c.example != "" {
				sameFiles(t, filepath.Join(dir, c.folder), filepath.Join(repository(t), "examples", c.example))
			}
		})
	}
}

// sameFiles checks that a tutorial ends with the example, which CI tests whole.
func sameFiles(t *testing.T, made, example string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(example, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files in %s", err, len(files), example)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(made, filepath.Base(file)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s of the tutorial isn't that of %s (%v)", filepath.Base(file), example, err)
		}
	}
}

// TestExcerptsAreOfTheExample keeps the pieces of code that a page shows in the
// example that it links to.
func TestExcerptsAreOfTheExample(t *testing.T) {
	page := "build-a-harness.md"
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	all, err := blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range []string{"asking.go", "turn.go"} {
		file, err := os.ReadFile(filepath.Join(repository(t), "examples", "harness-asking", name))
		if err != nil {
			t.Fatal(err)
		}
		code.Write(file)
	}
	found := 0
	for _, b := range all {
		if !b.excerpt {
			continue
		}
		found++
		if !strings.Contains(code.String(), b.content) {
			t.Errorf("%s:%d: this isn't in examples/harness-asking:\n%s", page, b.line, b.content)
		}
	}
	if found == 0 {
		t.Errorf("%s has no excerpts", page)
	}
}
