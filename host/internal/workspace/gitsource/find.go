package gitsource

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// oldest is the first version of git that can be told apart from a person's
// settings by its environment alone.
const oldestMajor, oldestMinor = 2, 32

// git is the program.
type git struct {
	path    string
	version string // e.g. "2.47"
	env     func(name string) (string, bool)
}

var versionForm = regexp.MustCompile(`git version ([0-9]+)\.([0-9]+)`)

// Git is the program that fetches sources in an environment, and its version, such
// as "2.47". Errors: NotFound and Unsupported (too old), each with a hint that says
// how to get one.
func Git(ctx context.Context, env func(name string) (string, bool)) (path, version string, err error) {
	g, err := (&Fetcher{Env: env}).git(ctx)
	if err != nil {
		return "", "", err
	}
	return g.path, g.version, nil
}

// git finds the program, and sees to it that it is new enough.
func (f *Fetcher) git(ctx context.Context) (*git, error) {
	path := lookPath(f.Env, "git")
	if path == "" {
		return nil, &sandbox.Error{
			Class: sandbox.NotFound, Message: "fetch the source: this machine has no program git on its PATH",
			Hint: "install it: " + install(),
		}
	}
	g := &git{path: path, env: f.Env}
	var out strings.Builder
	if err := g.run(ctx, call{args: []string{"version"}, stdout: &out}); err != nil {
		return nil, err
	}
	m := versionForm.FindStringSubmatch(out.String())
	if m == nil {
		return nil, sandbox.Errorf(sandbox.Invalid, "fetch the source: %s isn't git: asked for its version, it said %q", path, firstLine(out.String()))
	}
	g.version = m[1] + "." + m[2]
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return nil, &sandbox.Error{
			Class: sandbox.Unsupported,
			Message: "fetch the source: " + path + " is git " + m[1] + "." + m[2] + ", which can't be kept apart from a person's settings; " +
				"git 2.32 or newer is needed",
			Hint: "update it: " + install(),
		}
	}
	return g, nil
}

func install() string {
	switch runtime.GOOS {
	case "darwin":
		return "brew install git"
	case "windows":
		return "winget install --id Git.Git"
	}
	return "apt-get install git, dnf install git or apk add git"
}

// lookPath finds a program on the PATH of an environment; empty: it isn't there.
func lookPath(env func(string) (string, bool), name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path, _ := env("PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a relative one leads into the working directory
		}
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			if _, err := exec.LookPath(full); err == nil {
				return full
			}
		}
	}
	return ""
}
