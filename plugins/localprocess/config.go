package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type config struct {
	Dir        string   `hcl:"dir,optional" doc:"Folder to work in, instead of a new empty one. Relative to the project; it is never removed." example:"\".\""`
	Home       string   `hcl:"home" default:"real" doc:"HOME of the processes: \"real\" is your own, with its logins; \"private\" is a new empty one that is removed with the sandbox." example:"\"private\""`
	InheritEnv []string `hcl:"inherit_env,optional" identity:"false" doc:"Names of the variables of your shell that processes get, beside the few that programs need to work (PATH, LANG and the like). A name may end in *. Left out: all variables." example:"[\"HTTPS_PROXY\", \"AWS_*\"]"`
	ScrubEnv   []string `hcl:"scrub_env,optional" identity:"false" doc:"Names of variables of your shell that processes don't get. A name may end in *. The workspace's env and secrets are set all the same." example:"[\"XAI_API_KEY\", \"AWS_*\"]"`
}

// The values of home.
const (
	homeReal    = "real"
	homePrivate = "private"
)

// check finds what the schema can't say. The host shows it at the attribute's
// line.
func (c config) check() error {
	bad := func(attribute, format string, args ...any) error {
		return &sandbox.Error{Class: sandbox.Invalid, Attribute: attribute, Message: fmt.Sprintf(format, args...)}
	}
	if c.Home != "" && c.Home != homeReal && c.Home != homePrivate {
		return bad("home", `home is %q; it can be "real" (your own) or "private" (a new one, removed with the sandbox)`, c.Home)
	}
	for i, name := range c.InheritEnv {
		if why := badPattern(name); why != "" {
			return bad(fmt.Sprintf("inherit_env[%d]", i), "inherit_env: %q %s", name, why)
		}
	}
	for i, name := range c.ScrubEnv {
		at := fmt.Sprintf("scrub_env[%d]", i)
		switch why := badPattern(name); {
		case why != "":
			return bad(at, "scrub_env: %q %s", name, why)
		case name == "*":
			return bad(at, "scrub_env: \"*\" would remove every variable; write inherit_env = [] to keep only what programs need")
		case name == "HOME":
			return bad(at, "scrub_env: HOME can't be removed; write home = \"private\" to give processes another one")
		}
	}
	if i := slices.IndexFunc(c.InheritEnv, func(n string) bool { return slices.Contains(c.ScrubEnv, n) }); i >= 0 {
		return bad(fmt.Sprintf("inherit_env[%d]", i), "inherit_env and scrub_env both name %s; leave it out of one", c.InheritEnv[i])
	}
	return nil
}

// badPattern says why a text is no name of a variable, with or without a star
// at its end; empty if it is one.
func badPattern(pattern string) string {
	name := strings.TrimSuffix(pattern, "*")
	switch {
	case pattern == "":
		return "is no name of a variable"
	case strings.ContainsAny(name, "=\x00"):
		return "is no name of a variable: write the name alone, without = and a value"
	case strings.Contains(name, "*"):
		return "has a * that isn't at its end; only a trailing * stands for the rest of a name"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a blank"
	}
	return ""
}
