package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// capabilities says what the sandboxes of a provider can do.
func (p *page) capabilities(c sandbox.Capabilities) {
	p.para("## What its sandboxes can do")
	p.para("What it says it can do at most; a sandbox may be able to do less.")
	p.para("| capability | |\n|---|---|")
	for _, row := range []struct {
		name, what string
		has        bool
	}{
		{"fs", "files are read and written", c.Files},
		{"ports", "what listens on one is reached from outside", c.Ports},
		{"snapshots", "files are kept, and sandboxes made of them", c.Snapshots},
		{"fork", "a sandbox is copied", c.Forks},
		{"keep_alive", "one that is in use is kept from being stopped", c.Keeps},
		{"writable_stdin", "input is written while output goes on", c.WritableStdin},
		{"killable_processes", "a process is ended with all that it started", c.KillableProcesses},
		{"durable_filesystem", "files survive a stop", c.DurableFilesystem},
		{"pty", "commands get a terminal", c.PTY},
		{"brokers_secrets", "secrets stay out of the sandbox", c.BrokersSecrets},
	} {
		fmt.Fprintf(p, "| %s: %s | %s |\n", code(row.name), row.what, yes(row.has))
	}
	fmt.Fprintf(p, "| %s: what the network may be held to | %s |\n", code("network_policy"), words(string(c.NetworkPolicy)))
	if c.Snapshots || c.Forks {
		fmt.Fprintf(p, "| %s: what becomes of processes in a snapshot or a fork | %s |\n", code("disruption"), words(string(c.Disruption)))
	}
}

func yes(has bool) string {
	if has {
		return "yes"
	}
	return "no"
}

// traits says what is known of a harness's agent.
func (p *page) traits(t harness.Traits) {
	p.para("## The agent")
	program := "The configuration names its program."
	if t.Program != "" {
		program = "Its program is " + code(t.Program) + "."
	}
	if t.Install != "" {
		program += " To install it: " + code(t.Install) + "."
	}
	switch {
	case t.TestedFrom != "" && t.TestedTo != "":
		program += fmt.Sprintf(" Tested with versions %s to %s.", words(t.TestedFrom), words(t.TestedTo))
	case t.TestedFrom != "" || t.TestedTo != "":
		program += fmt.Sprintf(" Tested with version %s.", words(t.TestedFrom+t.TestedTo))
	}
	p.para("%s", program)
	if len(t.ModelHosts) > 0 {
		p.para("It talks to %s.", codes(t.ModelHosts))
	}
	if len(t.AuthModes) > 0 {
		p.para("| `auth_mode` | variables that it reads |\n|---|---|")
		for _, m := range t.AuthModes {
			fmt.Fprintf(p, "| %s | %s |\n", code(m.Mode), or(codes(m.Variables), "none that is known"))
		}
	}
	if t.Schemas {
		p.para("`sandlot run --schema` has its agent answer by a JSON schema.")
	}
	if t.Dirs != "" {
		p.para("Files in the folders of %s count for `file_write` as the workspace's do.", code(t.Dirs))
	}
	p.para("| rules of a policy | what becomes of them |\n|---|---|")
	for _, row := range []struct {
		what string
		how  harness.Enforces
	}{{"`commands`", t.Commands}, {"`file_write`", t.FileWrites}, {"`network`", t.NetworkRules}} {
		fmt.Fprintf(p, "| %s | %s |\n", row.what, held(row.how))
	}
}

func held(how harness.Enforces) string {
	switch how {
	case harness.EnforcesNatively:
		return "the agent's own rules hold them"
	case harness.EnforcesEachCall:
		return "each call is put to Sandlot before it is made"
	case harness.EnforcesByAsking:
		return "the agent asks each time, as far as it asks"
	case harness.EnforcesNot:
		return "nobody holds them"
	}
	return "it says " + words(string(how))
}

// environment says which of the host's variables the plugin gets.
func (p *page) environment(names []string) {
	p.para("## Environment")
	const usual = "PATH, HOME, TMPDIR, LANG, the proxy and CA variables and SANDLOT_*"
	switch {
	case slices.Contains(names, "*"):
		p.para("The plugin gets the host's whole environment.")
	case len(names) == 0:
		p.para("The plugin gets no more of the host's environment than every plugin: %s.", usual)
	default:
		p.para("The plugin gets these variables of the host's: %s. Every plugin gets %s.", codes(names), usual)
	}
}

func or(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}
