package gitsource

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// tokenVariable is where git's credential helper finds the token.
const tokenVariable = "SANDLOT_SOURCE_TOKEN"

// helper gives git the token. printf is the shell's own, so that the token is no
// program's argument.
const helper = `!f() { test "$1" = get && printf 'username=x-access-token\npassword=%s\n' "$` + tokenVariable + `"; }; f`

const sshCommand = "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"

// passed are the variables of the host that git gets: what it takes to start
// programs, and to reach the network as the person does.
func passed() []string {
	names := []string{
		"PATH", "TMPDIR", "USER", "LOGNAME",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
	}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "PROGRAMDATA")
	}
	return names
}

// settings are git's whole configuration. Each closes a way by which a repository,
// a server or a person's habits could have something run, or change what is
// fetched.
func settings(null string) []string {
	return []string{
		"core.hooksPath=" + null,
		"core.fsmonitor=false",
		"core.attributesFile=" + null,
		"core.excludesFile=" + null,
		`core.alternateRefsCommand=: "$@"`, // of ":" alone git would look for a program of that name
		"core.bigFileThreshold=32m",        // larger ones are streamed, so that memory is bounded
		"credential.helper=",
		"fetch.recurseSubmodules=false",
		"submodule.recurse=false",
		"fetch.unpackLimit=1", // always one pack: thousands of small files would be slow to copy
		"gc.auto=0",
		"maintenance.auto=false",
		"http.followRedirects=initial",
		"http.lowSpeedLimit=1",
		"http.lowSpeedTime=60",
		"protocol.version=2",
		"transfer.bundleURI=false",
		"uploadpack.allowAnySHA1InWant=true", // of our mirrors
	}
}

// access is what a command may reach.
type access struct {
	protocol string // the only one; empty: none
	origin   string // scheme and host that the token is for
	token    string // empty: none
}

// remote reports whether another machine is reached.
func (a access) remote() bool { return a.protocol != "" && a.protocol != "file" }

// environ is the environment of a command. home is an empty folder.
func (g *git) environ(home string, a access, more []string) []string {
	env := []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=" + a.protocol,
	}
	if a.protocol == "" {
		env[len(env)-1] = "GIT_ALLOW_PROTOCOL=none"
	}
	for _, name := range passed() {
		if value, ok := g.env(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if file, ok := g.env("SSL_CERT_FILE"); ok && file != "" {
		if _, own := g.env("GIT_SSL_CAINFO"); !own {
			env = append(env, "GIT_SSL_CAINFO="+file) // git itself doesn't know the other name
		}
	}
	if a.protocol == "ssh" {
		for _, name := range []string{"SSH_AUTH_SOCK", "SYSTEMROOT"} {
			if value, ok := g.env(name); ok {
				env = append(env, name+"="+value)
			}
		}
		env = append(env, "GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND="+sshCommand)
	}
	all := append(settings(os.DevNull), more...)
	if a.token != "" {
		env = append(env, tokenVariable+"="+a.token)
		all = append(all, "credential."+a.origin+".helper="+helper)
	}
	return append(env, configEnv(all)...)
}

// configEnv tells git settings, each KEY=VALUE, by environment.
func configEnv(all []string) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(all))}
	for i, setting := range all {
		key, value, _ := strings.Cut(setting, "=")
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+key, "GIT_CONFIG_VALUE_"+n+"="+value)
	}
	return env
}

// home is a folder that doesn't exist, below one of ours: git reads nothing of
// the person's.
func nowhere(cache string) string { return filepath.Join(cache, "nobody") }
