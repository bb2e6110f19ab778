package proctree

import (
	"fmt"
	"strings"
)

// lookWindows finds a program as Windows does, but never in the working folder,
// where an agent may have put one: in the folders of path, with each of the
// extensions where the name has none. A shell's /bin/sh is git's.
func lookWindows(name, dir, path, extensions string, exists func(file string) bool) (string, error) {
	if extensions == "" {
		extensions = ".COM;.EXE;.BAT;.CMD"
	}
	endings := append([]string{""}, strings.Split(strings.ToLower(extensions), ";")...)
	if !strings.Contains(name[strings.LastIndexAny(name, `/\`)+1:], ".") {
		endings = endings[1:] // a file without an extension isn't run
	}
	find := func(folder, name string) (string, bool) {
		for _, ending := range endings {
			if file := strings.TrimRight(folder, `\/`) + `\` + name + ending; folder != "" && exists(file) {
				return file, true
			}
		}
		return "", false
	}
	folders := strings.Split(path, ";")
	switch {
	case name == "/bin/sh":
		// git puts git.exe on PATH, from its folder cmd, and sh.exe mostly not.
		for _, folder := range folders {
			if _, ok := find(folder, "git"); !ok {
				continue
			}
			up := folder[:max(0, strings.LastIndexAny(strings.TrimRight(folder, `\/`), `\/`))]
			for _, near := range []string{up + `\bin`, up + `\usr\bin`} {
				if file, ok := find(near, "sh"); ok {
					return file, nil
				}
			}
		}
		if file, err := lookWindows("sh", dir, path, extensions, exists); err == nil {
			return file, nil
		}
		return "", fmt.Errorf("%w: there is no sh: install Git for Windows, or put the folder of a POSIX sh.exe into PATH", ErrNotFound)
	case strings.ContainsAny(name, `/\`) || len(name) > 1 && name[1] == ':':
		folder, base := "", name
		if at := strings.LastIndexAny(name, `/\`); at >= 0 {
			folder, base = name[:at], name[at+1:]
		}
		if absolute := strings.HasPrefix(name, `\`) || strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':'; !absolute {
			folder = strings.TrimRight(dir, `\/`) + `\` + folder
		}
		if file, ok := find(folder, base); ok {
			return file, nil
		}
		return "", fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	for _, folder := range folders {
		if file, ok := find(strings.Trim(folder, `"`), name); ok {
			return file, nil
		}
	}
	return "", fmt.Errorf("%w: %s is not in PATH", ErrNotFound, name)
}
