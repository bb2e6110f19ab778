package secrets

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// findProgram is the absolute path of the program that a command begins with. One
// with a folder in its name is taken from dir, any other from the absolute folders
// of path, which is the PATH variable.
func findProgram(name, dir, path string) (string, *Problem) {
	if filepath.Base(name) != name {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, full)
		}
		if runnable(full) {
			return full, nil
		}
		if _, err := os.Stat(full); err == nil {
			return "", wrong("make it executable: chmod +x "+full, "the program %s isn't executable", full)
		}
		return "", wrong("create it, or correct `command` in its secret block", "the program %s doesn't exist", full)
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) { // it would depend on where sandlot was started
			continue
		}
		for _, suffix := range suffixes() {
			if full := filepath.Join(folder, name+suffix); runnable(full) {
				return full, nil
			}
		}
	}
	return "", wrong("install it, or give its path in `command` in its secret block", "there is no program %q on PATH, which its command begins with", name)
}

func suffixes() []string {
	if runtime.GOOS == "windows" {
		return []string{"", ".exe", ".com", ".bat", ".cmd"}
	}
	return []string{""}
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if runtime.GOOS == "windows" {
		return strings.Contains(filepath.Base(path), ".")
	}
	return info.Mode().Perm()&fs.FileMode(0o111) != 0
}
