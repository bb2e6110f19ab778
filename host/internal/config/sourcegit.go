package config

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

var (
	// repoName is the form of owner/name.
	repoName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9_.-]+$`)
	// hostName is a host, and perhaps a port.
	hostName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?$`)
	// scpForm is ssh's other spelling, user@host:path.
	scpForm = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?([A-Za-z0-9][A-Za-z0-9.-]+):([^-].*)$`)
	// badRef is what git allows in no ref.
	badRef = regexp.MustCompile(`[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\.lock(/|$)|/$|\.$|^/`)
)

// gitSource checks what a git or github source says. All of it is refused here,
// where it has a line: git itself would take some of it for options.
func (l *loader) gitSource(body map[string]any, out *decoded) (Source, hcl.Diagnostics) {
	src := Source{Kind: "git", Depth: 1}
	var diags hcl.Diagnostics
	fail := func(name, summary, detail string, args ...any) {
		diags = append(diags, problem(out.ranges.at("source."+name).Ptr(), summary, detail, args...))
	}
	src.Token, _ = body["token"].(Value)
	src.Submodules, _ = body["submodules"].(bool)
	if body["kind"] == "github" {
		written, _ := body["repo"].(string)
		host, _ := body["host"].(string)
		l.hidePassword(written)
		repo := strings.TrimSuffix(written, ".git")
		name := repo[strings.LastIndex(repo, "/")+1:]
		if !repoName.MatchString(repo) || strings.Trim(name, ".") == "" {
			fail("repo", "Invalid repository", "\"repo\" is owner/name, such as \"owner/app\"; this is %q.%s", written, ownerName(repo))
		}
		if !hostName.MatchString(host) {
			fail("host", "Invalid host", "\"host\" is the name of a host, such as \"github.example.com\", without scheme or path; this is %q.", host)
		}
		src.URL = "https://" + host + "/" + repo + ".git"
	} else {
		text, _ := body["url"].(string)
		l.hidePassword(text)
		src.URL = text
		if summary, why := checkURL(text, len(src.Token.Parts) > 0); why != "" {
			fail("url", summary, "%s", why)
		}
	}
	ref, _ := body["ref"].(string)
	_, given := out.ranges["source.ref"]
	switch {
	case given && ref == "" && body["ref"] != nil:
		fail("ref", "Invalid ref", "\"ref\" names nothing. Leave it out for the repository's default branch.")
	case strings.HasPrefix(ref, "-"):
		fail("ref", "Invalid ref", "\"ref\" is a branch, a tag or a commit, and none of them begins with \"-\"; this is %q.", ref)
	case ref != "" && badRef.MatchString(ref):
		fail("ref", "Invalid ref", "\"ref\" is a branch, a tag or a commit such as \"main\" or \"v1.2\"; git allows no such name as %q.", ref)
	}
	src.Ref = ref
	if depth, ok := body["depth"].(string); ok {
		n, err := strconv.ParseInt(depth, 10, 32)
		switch {
		case depth == "full":
			n = 0
		case err != nil || n < 1:
			fail("depth", "Invalid depth", "\"depth\" is a number of commits from 1 on, or \"full\" for the whole history; this is %q.", depth)
		}
		src.Depth = int(n)
	}
	if diags.HasErrors() {
		return Source{}, diags
	}
	return src, nil
}

// ownerName is a suggestion for somebody who wrote a URL.
func ownerName(repo string) string {
	parts := strings.Split(strings.Trim(repo, "/"), "/")
	if n := len(parts); n > 2 {
		if name := parts[n-2] + "/" + parts[n-1]; repoName.MatchString(name) {
			return " Did you mean \"" + name + "\"? Another host than github.com goes into \"host\"."
		}
	}
	return ""
}

// hidePassword keeps what a URL holds for a password out of diagnostics, which
// show the line that it stands in.
func (l *loader) hidePassword(text string) {
	_, rest, _ := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(rest, "/")
	user, _, ok := cutLast(authority, "@")
	if !ok {
		return
	}
	name, password, _ := strings.Cut(user, ":")
	for _, part := range []string{password, name} {
		if part != "git" {
			l.project.scrub.add(part)
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// checkURL says what is wrong with the URL of a repository, and what to write;
// nothing if nothing is.
func checkURL(text string, token bool) (summary, why string) {
	const (
		invalid = "Invalid URL"
		forms   = "Write https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH, git://HOST/PATH or file:///PATH."
	)
	if strings.Contains(text, "::") {
		return invalid, "\"url\" holds \"::\", by which git would start a program. " + forms
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return invalid, "\"url\" holds a space or a control character. " + forms
	}
	if !strings.Contains(text, "://") {
		if !scpForm.MatchString(text) {
			return invalid, "\"url\" has no scheme that is known. " + forms + " For a folder of this machine there is source \"local\"."
		}
		return tokenFor("ssh", token)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return invalid, "\"url\" can't be read as a URL. " + forms
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return invalid, "\"url\" holds a query or a fragment, which no repository has. " + forms
	case u.User != nil && u.Scheme != "ssh":
		return "Credentials in a URL", "What stands before the \"@\" would be stored and shown. " +
			"Remove it, declare secret \"NAME\" { env = \"VARIABLE\" } and write token = secret.NAME here."
	}
	if _, has := u.User.Password(); has {
		return "Credentials in a URL", "ssh takes no password from a URL, and it would be stored and shown. Remove it; ssh asks your agent for a key."
	}
	if strings.HasPrefix(u.Host, "-") || strings.HasPrefix(u.User.Username(), "-") || strings.HasPrefix(u.Path, "/-") {
		return invalid, "\"url\" has a part that begins with \"-\", which programs would take for an option."
	}
	switch u.Scheme {
	case "https", "http", "ssh", "git":
		if u.Host == "" || strings.Trim(u.Path, "/") == "" {
			return invalid, "\"url\" needs a host and a path. " + forms
		}
	case "file":
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			return invalid, "A file URL names an absolute path of this machine, with three slashes: file:///PATH."
		}
	default:
		return invalid, "The scheme \"" + u.Scheme + "\" isn't one that sandlot fetches from. " + forms
	}
	return tokenFor(u.Scheme, token)
}

// tokenFor refuses a token where it would be of no use, or be read on its way.
func tokenFor(scheme string, token bool) (summary, why string) {
	switch {
	case !token || scheme == "https":
		return "", ""
	case scheme == "http":
		return "Token over http", "The token would go over the network for everybody to read. Write https:// or remove the token."
	case scheme == "ssh":
		return "Token without use", "ssh asks your agent for a key and takes no token. Remove it, or write an https:// URL."
	}
	return "Token without use", "A " + scheme + " URL takes no token. Remove it, or write an https:// URL."
}
