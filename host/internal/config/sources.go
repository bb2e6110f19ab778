package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/hcl/v2"
)

const (
	mainFile   = "sandlot.hcl"
	fileSuffix = ".sandlot.hcl"
	autoSuffix = ".auto.sandlot.hcl"
)

// maxRead is how long reading a file may take where there is a limit to set.
const maxRead = 5 * time.Second

// sources are the files of a project, absolute: bodies, and values of variables.
type sources struct {
	folder string
	bodies []string
	values []string
}

// findSources says which files make up the project that path names.
func findSources(opts Options) (sources, *hcl.Diagnostic) {
	if !filepath.IsAbs(opts.Dir) {
		return sources{}, problem(nil, "Error in sandlot", "The working directory %q isn't absolute.", opts.Dir)
	}
	path := absolute(opts.Path, opts.Dir)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sources{}, problem(nil, "No such configuration",
			"%s doesn't exist. Give a file or a folder with -f.", path)
	case err != nil:
		return sources{}, problem(nil, "Configuration can't be read", "%s. Give a file or a folder with -f.", err)
	}
	src := sources{folder: path}
	if !info.IsDir() {
		src.folder = filepath.Dir(path)
		src.bodies = []string{path}
	}
	entries, err := os.ReadDir(src.folder)
	if err != nil {
		return sources{}, problem(nil, "Configuration can't be read", "%s.", err)
	}
	for _, e := range entries {
		name := e.Name()
		switch full := filepath.Join(src.folder, name); {
		case strings.HasPrefix(name, ".") || e.IsDir():
		case strings.HasSuffix(name, autoSuffix):
			src.values = append(src.values, full)
		case info.IsDir() && (name == mainFile || strings.HasSuffix(name, fileSuffix)):
			src.bodies = append(src.bodies, full)
		}
	}
	if len(src.bodies) == 0 {
		return sources{}, problem(nil, "No configuration",
			"%s has no %s and no *%s (files that begin with a dot and *%s don't count). Write one, or name a file or folder with -f.",
			path, mainFile, fileSuffix, autoSuffix)
	}
	slices.SortFunc(src.bodies, func(a, b string) int { // the main file first, so that its blocks are the originals
		if isMain(a) != isMain(b) {
			if isMain(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return src, nil
}

func isMain(path string) bool { return filepath.Base(path) == mainFile }

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// shown is a file's name in diagnostics: relative to the working directory if
// it is inside.
func shown(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// readFile reads a regular file of at most maxFile bytes. A longer one comes
// back cut after maxFile+1 bytes, for guard to refuse.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would hang
		return nil, fmt.Errorf("read %s: not a regular file", path)
	}
	// Some files of the kernel's call themselves regular and make a reader wait
	// for ever. These know time limits; of others there is none to set.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(maxRead))
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
