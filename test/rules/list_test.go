package rules

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the path that every import of our own begins with.
const module = "github.com/sandlot-dev/sandlot/"

// pkg is what `go list` says of a package; paths are below the module.
type pkg struct {
	ImportPath   string
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// root is the repository's top folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// packages lists every package of ours as each kind of system sees it, since a
// file for Windows may import what others don't; also those of the examples
// that are modules of their own.
func packages(t *testing.T) []pkg {
	t.Helper()
	top := root(t)
	modules, err := filepath.Glob(filepath.Join(top, "examples", "*", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, mod := range append(modules, filepath.Join(top, "go.mod")) {
			all = append(all, list(t, filepath.Dir(mod), system)...)
		}
	}
	if len(all) == 0 {
		t.Fatal("go list found no packages")
	}
	return all
}

func list(t *testing.T, dir, system string) []pkg {
	t.Helper()
	// -e: a package that doesn't build is the compiler's business, not ours.
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list packages in %s: %v: %s", dir, err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		p.Imports, p.TestImports, p.XTestImports = ours(p.Imports), ours(p.TestImports), ours(p.XTestImports)
		all = append(all, p)
	}
}

// ours keeps the imports from this project, without the module's path.
func ours(imports []string) []string {
	var kept []string
	for _, path := range imports {
		if rest, ok := strings.CutPrefix(path, module); ok {
			kept = append(kept, rest)
		}
	}
	return kept
}

// sources walks all Go files in the repository, the examples' own modules
// included. Reading them here also tells the test cache what we depend on:
// what `go list` reads in its own process, it doesn't see.
func sources(t *testing.T, visit func(path string, content []byte)) {
	t.Helper()
	top := root(t)
	skipped := []string{"bin", "dist", "node_modules"}
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skipped, d.Name())):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		visit(filepath.ToSlash(rel), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
