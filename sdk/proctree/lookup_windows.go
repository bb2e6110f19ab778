package proctree

import (
	"os"
	"strings"
)

// program finds the file of Argv[0] in Env's PATH with Env's PATHEXT.
func (s Spec) program() (string, error) {
	var path, extensions string
	for _, e := range s.Env {
		name, value, _ := strings.Cut(e, "=")
		switch strings.ToUpper(name) {
		case "PATH":
			path = value
		case "PATHEXT":
			extensions = value
		}
	}
	return lookWindows(s.Argv[0], s.Dir, path, extensions, func(file string) bool {
		st, err := os.Stat(file)
		return err == nil && st.Mode().IsRegular()
	})
}
