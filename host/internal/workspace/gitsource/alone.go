package gitsource

import "strings"

// Settings tells a git elsewhere settings, each KEY=VALUE, by environment.
func Settings(all []string) map[string]string {
	env := map[string]string{}
	for _, entry := range configEnv(all) {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return env
}

// Alone is the environment of a git in a sandbox that talks to a repository with a
// token: it hears nobody's configuration, and gives the token to no other host.
// What else the environment says to git must be taken from it.
func Alone(url string, t Token) (map[string]string, error) {
	token, err := t.clean()
	if err != nil {
		return nil, err
	}
	all, origin := settings("/dev/null"), originOf(url)
	if token != "" && origin != "" {
		all = append(all, "credential."+origin+".helper="+helper)
	}
	env := Settings(all)
	if token != "" && origin != "" {
		env[tokenVariable] = token
	}
	env["GIT_CONFIG_NOSYSTEM"], env["GIT_CONFIG_GLOBAL"] = "1", "/dev/null"
	env["GIT_TERMINAL_PROMPT"], env["GIT_ALLOW_PROTOCOL"], env["LC_ALL"] = "0", schemeOf(url), "C"
	if schemeOf(url) == "ssh" {
		env["GIT_SSH_VARIANT"], env["GIT_SSH_COMMAND"] = "ssh", sshCommand
	}
	return env, nil
}
