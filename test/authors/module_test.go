package authors

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// programsOfAnAuthor is a provider and a harness, in one module, as they are in
// examples/.
func programsOfAnAuthor(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"provider-minimal", "harness-minimal"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(repository(t), "examples", name))); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"go.mod", "go.sum"} {
			if err := os.Remove(filepath.Join(dir, name, file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// The whole list, so that nothing comes in unseen; docs/plugin-sdk.md says what
// each is for.
func modulesOfAnAuthor() []string {
	return []string{
		"github.com/creack/pty",
		"github.com/fatih/color",
		"github.com/golang/protobuf",
		"github.com/hashicorp/go-hclog",
		"github.com/hashicorp/go-plugin",
		"github.com/hashicorp/yamux",
		"github.com/mattn/go-colorable",
		"github.com/mattn/go-isatty",
		"github.com/oklog/run",
		"github.com/sandlot-dev/sandlot",
		"golang.org/x/net",
		"golang.org/x/sys",
		"golang.org/x/text",
		"google.golang.org/genproto/googleapis/rpc",
		"google.golang.org/grpc",
		"google.golang.org/protobuf",
	}
}

func TestAnAuthorsModuleNeedsNoMoreThanTheConnection(t *testing.T) {
	t.Parallel()
	dir, env := programsOfAnAuthor(t), environment(t, "")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(ctx, "go", args...)
		var said strings.Builder
		cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, said.String())
		}
		return string(out)
	}
	run("mod", "init", "example.com/plugins")
	run("mod", "edit", "-replace=github.com/sandlot-dev/sandlot="+repository(t))
	run("mod", "tidy")
	run("build", "./...")
	run("vet", "./...")

	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(modulesOfAnAuthor(), required(string(mod))); diff != "" {
		t.Errorf("go.mod (-want +got):\n%s", diff)
	}
	for _, pkg := range strings.Fields(run("list", "-deps", "-test", "./...")) {
		for _, heavy := range []string{"docker", "sqlite", "pgx", "hashicorp/hcl", "zclconf/go-cty", "spf13/cobra", "goose", "sandlot/host"} {
			if strings.Contains(pkg, heavy) {
				t.Errorf("a plugin is built with %s", pkg)
			}
		}
	}

	page, err := os.ReadFile(filepath.Join(repository(t), "docs", "plugin-sdk.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modulesOfAnAuthor() {
		if !strings.Contains(string(page), "`"+m+"`") {
			t.Errorf("docs/plugin-sdk.md doesn't name %s", m)
		}
	}
}

// required lists the modules that a go.mod requires, sorted.
func required(mod string) []string {
	var all []string
	for line := range strings.Lines(mod) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(f) >= 2 && strings.HasPrefix(f[1], "v") {
			all = append(all, f[0])
		}
	}
	slices.Sort(all)
	return all
}
