package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

// nested are the variables by which an agent CLI tells what it starts that it
// runs inside of it; an agent of ours that inherits them behaves differently.
// A trailing star matches the rest of a name.
var nested = []string{
	"CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_ENV_FILE",
	"CODEX_SANDBOX*", "CODEX_THREAD_ID", "CODEX_CI",
	"OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID", "OPENCODE_PROCESS_ROLE",
	"GEMINI_CLI", "CURSOR_AGENT", "CURSOR_TRACE_ID",
}

// settings are variables that match nested, but are the user's own choice.
var settings = []string{
	"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*", "CLAUDE_CODE_MAX_*",
	"CLAUDE_CODE_DISABLE_*", "CLAUDE_CODE_ENABLE_*", "CLAUDE_CODE_API_KEY_HELPER_*", "CLAUDE_CODE_EXTRA_BODY",
}

// inherited is the environment of this program as its processes get it:
// without what the host and the SDK told this program, and without what makes
// an agent think that it runs inside another. The mark of the tree that this
// program itself belongs to stays, so that its processes die with that.
func inherited(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == proctree.MarkTree:
			return false
		case strings.HasPrefix(name, "SANDLOT_"), strings.HasPrefix(name, "PLUGIN_"):
			return true
		}
		return matches(nested, name) && !matches(settings, name)
	})
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, star := strings.CutSuffix(p, "*")
		return name == p || star && strings.HasPrefix(name, prefix)
	})
}

// overlay sets variables over a list; later ones win.
func overlay(base []string, over ...map[string]string) map[string]string {
	env := map[string]string{}
	for _, entry := range base {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			env[name] = value
		}
	}
	for _, o := range over {
		maps.Copy(env, o)
	}
	return env
}

// entries is an environment as a process gets it.
func entries(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
