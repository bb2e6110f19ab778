package main

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// title is one line for a person.
func (f *toolFields) title() string {
	if line := strings.Join(strings.Fields(f.Title), " "); line != "" {
		return line
	}
	return f.label()
}

// subject says what a permission request is about, in the words of a policy.
// The kind is the agent's own claim; where it makes none of these, a call that
// carries a command is one. Root is the session's folder: a command elsewhere is
// another command, to rules, to the person and to an answer that counts for equal ones.
func subject(f toolFields, root string) (harness.AskKind, string) {
	in := inputOf(f.Input)
	switch f.Kind {
	case "edit", "delete", "move":
		return harness.AskFileWrite, orTitle(f, strings.Join(writePaths(f, in, root), ", "))
	case "fetch":
		return harness.AskNetwork, orTitle(f, in.text("url", "uri", "host"))
	case "execute":
		return harness.AskCommand, in.from(root, orTitle(f, in.command()))
	}
	if command := in.command(); command != "" {
		return harness.AskCommand, in.from(root, command)
	}
	return harness.AskTool, f.title()
}

func orTitle(f toolFields, target string) string {
	if target == "" {
		return f.title()
	}
	return target
}

// writePaths are the files an edit touches: where the agent says so, and where
// the content of a diff or the arguments do. Those that aren't absolute begin in
// root.
func writePaths(f toolFields, in input, root string) []string {
	paths := f.paths()
	var diffs []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	}
	_ = json.Unmarshal(f.Content, &diffs) // content of another shape names no files
	for _, d := range diffs {
		if d.Type == "diff" && d.Path != "" && !slices.Contains(paths, d.Path) {
			paths = append(paths, d.Path)
		}
	}
	if len(paths) == 0 {
		if p := in.text("path", "file_path", "filePath", "filepath", "abs_path", "target_file"); p != "" {
			paths = append(paths, p)
		}
	}
	paths = slices.Clone(paths)
	for i, p := range paths {
		if p != "" && p[0] != '~' && strings.TrimSpace(p) == p && !path.IsAbs(p) && path.IsAbs(root) {
			paths[i] = root + "/" + p
		}
	}
	return paths
}

// input is a rawInput that is an object; nil for others.
type input map[string]json.RawMessage

func inputOf(raw json.RawMessage) input {
	var in input
	_ = json.Unmarshal(raw, &in) // other shapes have no members
	return in
}

func (in input) text(keys ...string) string {
	for _, key := range keys {
		var text string
		if json.Unmarshal(in[key], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// from is a command with the folder that it is to run in, where that isn't root.
func (in input) from(root, command string) string {
	dir := in.text("cwd", "workdir", "working_directory", "workingDirectory")
	if dir != root && !path.IsAbs(dir) {
		dir = path.Join(root, dir)
	}
	if dir == root || path.Clean(dir) == path.Clean(root) {
		return command
	}
	return "cd " + shellQuote(dir) + " && " + command
}

// command is the command line, which agents give as text or as a list. Of a
// list that only wraps a script in a shell, it is the script.
func (in input) command() string {
	for _, key := range []string{"command", "cmd"} {
		if text := in.text(key); text != "" {
			return text
		}
		var argv []string
		if json.Unmarshal(in[key], &argv) == nil && len(argv) > 0 {
			return commandLine(argv)
		}
	}
	return ""
}

func commandLine(argv []string) string {
	if len(argv) == 3 && isShell(argv[0]) && (argv[1] == "-c" || argv[1] == "-lc") {
		return argv[2]
	}
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = shellQuote(a)
	}
	return strings.Join(quoted, " ")
}

// isShell reports whether a program is a shell of the system's, not one that is
// called so in some folder.
func isShell(program string) bool {
	dir, name := path.Split(program)
	return slices.Contains([]string{"", "/bin/", "/usr/bin/", "/usr/local/bin/"}, dir) && slices.Contains([]string{"sh", "bash", "zsh", "dash"}, name)
}

func shellQuote(word string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`).MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
