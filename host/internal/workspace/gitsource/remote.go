package gitsource

import (
	"net/url"
	"strings"
)

// remote is a repository that can be asked.
type remote struct {
	url    string
	access access
}

func (j *job) remote(address string) remote {
	r := remote{url: address, access: access{protocol: schemeOf(address)}}
	if origin := originOf(address); j.token != "" && origin != "" && origin == j.home {
		r.access.origin, r.access.token = origin, j.token
	}
	return r
}

// schemeOf is the protocol of a URL by git's name for it.
func schemeOf(address string) string {
	scheme, _, ok := strings.Cut(address, "://")
	if !ok {
		return "ssh" // user@host:path
	}
	return scheme
}

// originOf is scheme, host and port of an https URL; empty for any other, which no
// token is for.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return "https://" + strings.TrimSuffix(strings.ToLower(u.Host), ":443")
}

// network is a command that talks to the repository.
func (j *job) network(r remote, dir string, args ...string) call {
	return call{dir: dir, args: args, access: r.access, home: nowhere(j.cache.dir), tell: j.Tell}
}

// local is a command that works on folders of ours.
func (j *job) local(dir string, args ...string) call {
	return call{dir: dir, args: args, home: nowhere(j.cache.dir)}
}
