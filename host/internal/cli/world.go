package cli

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

// World is what the program gets from the operating system.
type World struct {
	Args       []string // without the program's name
	Stdin      *os.File
	Stdout     *os.File
	Stderr     *os.File
	Environ    []string // as os.Environ
	Dir        string   // working directory
	Executable string   // path of this program
	Version    string   // e.g. "0.1.0" or "dev"
}

// env looks up one variable.
func (w *World) env(name string) (string, bool) {
	for i := len(w.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(w.Environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

func (w *World) envOr(name, otherwise string) string {
	if v, ok := w.env(name); ok && v != "" {
		return v
	}
	return otherwise
}

// home is the folder of all that the host keeps.
func (w *World) home() (string, error) {
	if v := w.envOr("SANDLOT_HOME", ""); v != "" {
		if !filepath.IsAbs(v) {
			v = filepath.Join(w.Dir, v)
		}
		return filepath.Clean(v), nil
	}
	if v := w.envOr("XDG_STATE_HOME", ""); filepath.IsAbs(v) {
		return filepath.Join(v, "sandlot"), nil
	}
	if v := w.envOr("HOME", w.envOr("USERPROFILE", "")); v != "" {
		return filepath.Join(v, ".local", "state", "sandlot"), nil
	}
	return "", usagef("find a folder for state: neither SANDLOT_HOME nor XDG_STATE_HOME nor HOME is set; set one of them")
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// color reports whether w may be given terminal colours.
func (a *app) color(f *os.File) bool {
	return !a.flags.noColor && a.world.envOr("NO_COLOR", "") == "" && a.world.envOr("TERM", "") != "dumb" && isTerminal(f)
}

// System is the World of this process.
func System(version string) World {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return World{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir, Executable: exe, Version: version,
	}
}

// width is how wide a line on stderr may be; 0 where it isn't a terminal.
func (a *app) width() uint {
	w, _, err := term.GetSize(int(a.world.Stderr.Fd()))
	if err != nil || w < 20 {
		return 0
	}
	return uint(w)
}
