package plugins

import (
	"runtime"
	"slices"
	"strings"
)

// usual are the variables that every plugin gets: to find programs and folders,
// to speak the person's language, and to reach the network as the host does.
// SANDLOT_VAR_ isn't among them: it may hold what only the configuration is to
// see.
func usual() []string {
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LC_*", "TZ", "TERM",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "SANDLOT_*",
	}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
			"USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA")
	}
	return names
}

// never are those that no plugin gets, whatever it asks for: they belong to the
// connection of one plugin to its host, perhaps the one this host runs under.
func never() []string { return []string{"PLUGIN_*", "SANDLOT_PLUGIN", "SANDLOT_HOST_PID"} }

// Environ picks of environ (as os.Environ) what a plugin that wants these names
// gets, sorted. A name may end in "*"; "*" is all. home replaces SANDLOT_HOME.
func Environ(environ, wanted []string, home string) []string {
	names := append(usual(), wanted...)
	var out []string
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		switch {
		case !ok, name == "", matches(name, never()):
		case name == "SANDLOT_HOME" && home != "":
		case strings.HasPrefix(name, "SANDLOT_VAR_") && !matches(name, wanted):
		case matches(name, names):
			out = append(out, entry)
		}
	}
	if home != "" {
		out = append(out, "SANDLOT_HOME="+home)
	}
	slices.Sort(out)
	return out
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		if runtime.GOOS == "windows" {
			return strings.EqualFold(name, pattern)
		}
		return name == pattern
	})
}
