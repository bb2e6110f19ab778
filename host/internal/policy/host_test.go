package policy

import "testing"

func TestHosts(t *testing.T) {
	p := Policy{Default: Allow, Network: Ask, AllowHosts: []string{"*.example.com", "Docs.rs"}}
	for _, c := range []struct {
		name, target string
		want         Action
		rule         string
	}{
		{"a host below", "api.example.com", Allow, `network.allow_hosts "*.example.com"`},
		{"one further below, with a port", "a.b.example.com:8443", Allow, `network.allow_hosts "*.example.com"`},
		{"a URL", "https://api.example.com/x?y", Allow, `network.allow_hosts "*.example.com"`},
		{"a host by its name", "docs.rs", Allow, `network.allow_hosts "Docs.rs"`},
		{"in other letters, with a dot", "DOCS.RS.", Allow, `network.allow_hosts "Docs.rs"`},
		{"the host itself isn't below", "example.com", Ask, "network.default"},
		{"a name that only ends so", "badexample.com", Ask, "network.default"},
		{"a host in the user of another", "https://api.example.com@evil.net/", Ask, "network.default"},
		{"a host in the path of another", "https://evil.net/api.example.com", Ask, "network.default"},
		{"a backslash", `https://evil.net\\.example.com/`, Ask, "network.default"},
		{"a network card's name behind an address", "http://[fe80::1%25.example.com]/", Ask, "network.default"},
		{"what is searched for", "search: api.example.com", Ask, "network.default"},
		{"nothing", "", Ask, "network.default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Decide(p, Request{Network, c.target}); got != (Decision{c.want, c.rule}) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
