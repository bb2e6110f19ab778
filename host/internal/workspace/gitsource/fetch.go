package gitsource

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Remote is a repository, and what is wanted of it.
type Remote struct {
	URL        string // without credentials
	Ref        string // branch, tag or whole commit; empty: the default branch
	Depth      int    // commits of history; 0: all
	Submodules bool   // fetch them too
}

// Token opens a private repository over https. The zero value is none.
type Token struct {
	Value  string
	Secret string // name of the secret that it is, for messages
}

// Fetcher fetches repositories.
type Fetcher struct {
	Cache string                           // absolute folder of the mirrors; made if it isn't there
	Env   func(name string) (string, bool) // the host's environment: PATH, proxies, certificates, the ssh agent
	Token Token                            // for the host of the repository that is fetched, no other
	Tell  func(detail string)              // takes progress, a line for a person; nil: not wanted
	Warn  func(code, text string)          // takes what a person should know; nil: not wanted
}

// commitForm is a whole object name, SHA-1 or SHA-256.
var commitForm = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// Fetch brings a commit into the cache, as far as it isn't there, and returns it
// ready to be written. The caller closes it. The error's class tells whether
// trying again may help; its words say what to do.
func (f *Fetcher) Fetch(ctx context.Context, r Remote) (*Tree, error) {
	job, err := f.job(ctx, r)
	if err != nil {
		return nil, err
	}
	tree, err := job.fetch(ctx, r, 0)
	if err != nil {
		return nil, job.scrub(ctx, err)
	}
	return tree, nil
}

// Resolve asks what a ref stands for at present: a commit, or an annotated tag. A
// whole commit needs no asking. Nothing is fetched.
func (f *Fetcher) Resolve(ctx context.Context, r Remote) (object string, err error) {
	job, err := f.job(ctx, r)
	if err != nil {
		return "", err
	}
	at, err := job.resolve(ctx, job.remote(r.URL), r.Ref)
	if err != nil {
		return "", job.scrub(ctx, err)
	}
	return at.object, nil
}

func (f *Fetcher) job(ctx context.Context, r Remote) (*job, error) {
	g, err := f.git(ctx)
	if err != nil {
		return nil, err
	}
	token, err := f.Token.clean()
	if err != nil {
		return nil, err
	}
	cache, err := openCache(ctx, f.Cache)
	if err != nil {
		return nil, err
	}
	return &job{Fetcher: f, git: g, cache: cache, token: token, home: originOf(r.URL)}, nil
}

// job is one call of Fetch, submodules included, or of Resolve.
type job struct {
	*Fetcher
	git     *git
	cache   *cache
	token   string
	home    string // scheme and host that the token is for
	modules int    // how many submodules were fetched
}

func (j *job) fetch(ctx context.Context, r Remote, level int) (*Tree, error) {
	remote := j.remote(r.URL)
	at, err := j.resolve(ctx, remote, r.Ref)
	if err != nil {
		return nil, err
	}
	tree, err := j.prepare(ctx, remote, r, at)
	if err != nil {
		return nil, err
	}
	if r.Submodules {
		err = j.submodules(ctx, tree, r, level)
	}
	if err != nil {
		_ = tree.Close()
		return nil, err
	}
	return tree, nil
}

func (f *Fetcher) tell(format string, args ...any) {
	if f.Tell != nil {
		f.Tell(fmt.Sprintf(format, args...))
	}
}

func (f *Fetcher) warn(code, format string, args ...any) {
	if f.Warn != nil {
		f.Warn(code, fmt.Sprintf(format, args...))
	}
}

// clean is the token's value, without the end of line that files and commands
// leave behind it.
func (t Token) clean() (string, error) {
	value := strings.TrimRight(t.Value, "\r\n")
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", sandbox.Errorf(sandbox.Invalid,
			"use secret.%s as token: it holds a line break or another control character, which no token has; look at where it comes from", t.Secret)
	}
	return value, nil
}
