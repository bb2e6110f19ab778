package policy

import (
	"net/url"
	"strconv"
	"strings"
)

// hostRule is the rule of a list of hosts that names the target's host; empty: none
// does, or the target is no address.
func hostRule(hosts []string, target string) string {
	host := HostOf(target)
	if host == "" {
		return ""
	}
	for _, h := range hosts {
		pattern := strings.ToLower(h)
		below, wild := strings.CutPrefix(pattern, "*")
		if wild && len(host) > len(below) && strings.HasSuffix(host, below) || !wild && host == pattern {
			return "network.allow_hosts " + strconv.Quote(h)
		}
	}
	return ""
}

// HostOf is the host of a URL, or of a host with or without a port, as names are
// compared; empty where it is neither, or names a network card beside the address.
func HostOf(target string) string {
	if !strings.Contains(target, "://") {
		target = "//" + target
	}
	u, err := url.Parse(target)
	if err != nil || strings.ContainsAny(u.Hostname(), " \t\\@%") {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
