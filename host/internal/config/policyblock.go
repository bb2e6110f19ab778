package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// policyBody is the body of a policy block.
type policyBody struct {
	Default         string        `hcl:"default" default:"ask" doc:"What happens where no rule fits: allow, ask or deny."`
	Commands        *commandsBody `hcl:"commands,block" doc:"Globs over commands; deny wins over ask, ask over allow."`
	FileWrite       string        `hcl:"file_write,optional" doc:"What happens when the agent writes a file; the default if not given."`
	Network         *networkBody  `hcl:"network,block" doc:"What the sandbox may reach."`
	ApprovalTimeout time.Duration `hcl:"approval_timeout" default:"10m" doc:"How long a request waits before it is denied."`
	Strict          bool          `hcl:"strict" default:"false" doc:"Refuse to start a run in which nobody would hold one of the rules."`
}

type commandsBody struct {
	Allow []string `hcl:"allow,optional" doc:"Commands that may run." example:"[\"git diff *\"]"`
	Ask   []string `hcl:"ask,optional" doc:"Commands that need an answer."`
	Deny  []string `hcl:"deny,optional" doc:"Commands that may not run."`
}

type networkBody struct {
	Default    string   `hcl:"default" default:"allow" doc:"What happens when the agent reaches for the network: allow, ask or deny."`
	AllowHosts []string `hcl:"allow_hosts,optional" doc:"Hosts that are allowed all the same." example:"[\"*.example.com\"]"`
	Setup      string   `hcl:"setup" default:"policy" doc:"Network during setup: allow, or policy."`
}

func (l *loader) decodePolicies() hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range l.blocks["policy"] {
		var body policyBody
		out, more := l.hostDecoder("policy").into(b, &body)
		more = append(more, checkPolicy(body, out.ranges)...)
		diags = append(diags, more...)
		l.project.policies[b.Labels[0]] = policyOf(b.Labels[0], body)
	}
	return diags
}

func checkPolicy(p policyBody, r ranges) hcl.Diagnostics {
	diags := oneOf(r, "default", p.Default, "allow", "ask", "deny")
	diags = append(diags, oneOf(r, "file_write", p.FileWrite, "allow", "ask", "deny")...)
	diags = append(diags, positive(r, "approval_timeout", p.ApprovalTimeout)...)
	diags = append(diags, checkCommands(p.Commands, r)...)
	if n := p.Network; n != nil {
		invalid := oneOf(r, "network.default", n.Default, "allow", "ask", "deny")
		invalid = append(invalid, oneOf(r, "network.setup", n.Setup, "allow", "policy")...)
		diags = append(diags, invalid...)
		if len(invalid) == 0 && n.Default == "deny" && n.Setup == "allow" {
			diags = append(diags, notYet(r.at("network.setup").Ptr(), "a network during setup that is denied to the agent"))
		}
		diags = append(diags, checkHosts(n, r)...)
	}
	return diags
}

// checkCommands refuses rules that no command could meet: a deny rule of that kind
// would only look like one.
func checkCommands(c *commandsBody, r ranges) hcl.Diagnostics {
	if c == nil {
		return nil
	}
	var diags hcl.Diagnostics
	for _, list := range []struct {
		name  string
		globs []string
	}{{"allow", c.Allow}, {"ask", c.Ask}, {"deny", c.Deny}} {
		for i, glob := range list.globs {
			words := strings.Fields(glob)
			between := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"|", "|&", "||", "&&", "&"}, w) })
			at := r.at(schema.Index("commands."+list.name, i)).Ptr()
			switch {
			case len(words) == 0:
				diags = append(diags, problem(at, "Empty rule", "A rule names a command, such as \"git push *\"; \"*\" is every command."))
			case between >= 0:
				diags = append(diags, problem(at, "Invalid rule",
					"%q holds for no command: a rule is about one, and %q stands between two, which are decided each by itself. Write a rule for each.",
					glob, words[between]))
			}
		}
	}
	return diags
}

// hostPattern is the name of a host, or of all below it.
var hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$`)

func checkHosts(n *networkBody, r ranges) hcl.Diagnostics {
	var diags hcl.Diagnostics
	if len(n.AllowHosts) > 0 && n.Default == "allow" {
		diags = append(diags, problem(r.at("network.allow_hosts").Ptr(), "Without effect",
			"Every host is allowed already. Hosts are named beside default = \"ask\"."))
	}
	for i, host := range n.AllowHosts {
		if !hostPattern.MatchString(host) {
			diags = append(diags, problem(r.at(schema.Index("network.allow_hosts", i)).Ptr(), "Invalid host",
				"%q is no host: write a name such as \"example.com\", or \"*.example.com\" for all below it, without scheme, port and path.", host))
		}
	}
	return diags
}

// positive refuses a bound of zero or less: every bound is needed.
func positive(r ranges, path string, d time.Duration) hcl.Diagnostics {
	if d > 0 {
		return nil
	}
	return hcl.Diagnostics{problem(r.at(path).Ptr(), "Invalid duration", "%q must be longer than zero; this is %s.", path, d)}
}

func policyOf(name string, body policyBody) *Policy {
	p := &Policy{Name: name, Default: body.Default, FileWrite: body.FileWrite, ApprovalTimeout: body.ApprovalTimeout, Strict: body.Strict}
	if p.FileWrite == "" {
		p.FileWrite = p.Default
	}
	if n := body.Network; n != nil && n.Default != "allow" {
		p.Network = Network{Default: n.Default, AllowHosts: n.AllowHosts}
	}
	if c := body.Commands; c != nil {
		p.Commands = Commands{Allow: c.Allow, Ask: c.Ask, Deny: c.Deny}
	}
	return p
}

// defaultPolicy is the policy of a sandbox that names none.
func defaultPolicy() Policy {
	return *policyOf("", *orDefaults[policyBody](nil))
}
