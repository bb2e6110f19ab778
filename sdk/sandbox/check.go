package sandbox

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	commandID   = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)
	identityKey = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Check reports what is wrong with a command wherever it is to run, as Invalid:
// its id, neither or both of argv and script, a NUL, a name of a variable, a
// negative limit. The SDK calls it before Start.
func (c Command) Check() error {
	bad := func(format string, args ...any) error {
		return Errorf(Invalid, "start process %.150q: %s", c.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case !commandID.MatchString(c.ID):
		return bad("its id must be 1 to 128 of A-Z a-z 0-9 . _ -")
	case (len(c.Argv) > 0) == (c.Script != ""):
		return bad("exactly one of argv and script must be given")
	case len(c.Argv) > 0 && c.Argv[0] == "":
		return bad("the program's name is empty")
	case c.Timeout < 0, c.MaxOutput < 0:
		return bad("negative timeout or output limit")
	case slices.ContainsFunc(append([]string{c.Script, c.Dir, c.User}, c.Argv...), hasNUL):
		return bad("NUL in an argument, the script, the folder or the user")
	}
	for name, value := range c.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || hasNUL(value) {
			return bad("the variable %q has a name or a value that none can have", name)
		}
	}
	return nil
}

func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }

// Check refuses what a provider with these capabilities can't do, before
// anything is made: Unsupported for a closed network and brokered secrets,
// Invalid for a key that isn't one. The SDK calls it before Create, Restore and Fork.
func (r CreateRequest) Check(c Capabilities) error {
	if !identityKey.MatchString(r.Key) {
		return Errorf(Invalid, "create sandbox: the key %.100q is not 64 hex digits", r.Key)
	}
	return c.check("create", r.Network, r.Secrets)
}

// maxLabel is how many bytes a label of a snapshot has at most.
const maxLabel = 256

// Check reports a label that is no line for a person, as Invalid. The SDK calls it
// before Snapshot.
func (r SnapshotRequest) Check() error {
	if len(r.Label) > maxLabel || !utf8.ValidString(r.Label) || strings.ContainsFunc(r.Label, unicode.IsControl) {
		return Errorf(Invalid, "snapshot sandbox: the label %.50q is not one line of %d bytes of text", r.Label, maxLabel)
	}
	return nil
}

// Check is as for CreateRequest. The SDK calls it before Resume.
func (r ResumeRequest) Check(c Capabilities) error { return c.check("resume", r.Network, r.Secrets) }

func (c Capabilities) check(verb string, network Network, secrets []Secret) error {
	allowList := network.Deny && len(network.AllowHosts) > 0
	switch none := c.NetworkPolicy == NetworkNone || c.NetworkPolicy == ""; {
	case network.Deny && none:
		return &Error{
			Class: Unsupported, Capability: "network_policy", Message: verb + " sandbox: the provider can't close the network",
			Hint: "use a provider that can, or allow the network",
		}
	case allowList && c.NetworkPolicy != NetworkAllowList:
		return &Error{
			Class: Unsupported, Capability: "network_policy",
			Message: verb + " sandbox: the provider can close the network, but not but for some hosts", Hint: "leave the list of hosts out",
		}
	case len(secrets) > 0 && !c.BrokersSecrets:
		return &Error{
			Class: Unsupported, Capability: "brokers_secrets",
			Message: fmt.Sprintf("%s sandbox: the provider brokers no secrets, %d were handed over", verb, len(secrets)),
		}
	}
	return nil
}
