package gitbox

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed" // the script
	"encoding/hex"
	"io"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

//go:embed alone.sh
var aloneScript string

// remote sees to it that there is a repository to talk to, and that it is the one
// that is meant.
func (j *job) remote(named string) error {
	if j.src.URL == "" {
		return &sandbox.Error{
			Class: sandbox.Invalid, Message: "the sandbox wasn't made of a repository: it has no source \"git\" or \"github\" to push to or pull from",
			Hint: "to reach another one run git with sandlot exec, which gives it no token",
		}
	}
	if named != "" && named != "origin" && named != j.src.URL {
		return &sandbox.Error{
			Class: sandbox.Invalid, Message: "sandlot git reaches the source alone, " + j.src.URL + ", which is called origin here; this is " + named,
			Hint: "to reach another one run git with sandlot exec, which gives it no token",
		}
	}
	return nil
}

// moved tells that origin leads elsewhere by now, and that it isn't heard.
func (j *job) moved(s *seen) bool {
	if s.origin == j.src.URL {
		return false
	}
	elsewhere := s.origin
	if elsewhere == "" {
		elsewhere = "nowhere"
	}
	_, _ = io.WriteString(j.out.Stderr, "origin leads to "+printable(elsewhere)+" by now; sandlot reaches the source alone, "+j.src.URL+"\n")
	return true
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// folder is a name for a git folder of ours in the sandbox.
func (j *job) folder() string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	return path.Join(j.StateDir, "git-"+hex.EncodeToString(random))
}

// alone runs a piece of shell with the token, in a git folder of our own. What it
// prints is scrubbed of the token: a server may repeat it.
func (j *job) alone(ctx context.Context, s *seen, tmp, script string, args ...string) (int, error) {
	if s.common != path.Join(s.root, ".git") {
		return 0, &sandbox.Error{
			Class: sandbox.Denied, Message: "the workspace's .git leads to another repository, " + printable(s.common) + ": push and pull are for its own",
			Hint: "to work with that one run git with sandlot exec, which gives it no token",
		}
	}
	env, err := gitsource.Alone(j.src.URL, j.src.Token)
	if err != nil {
		return 0, err
	}
	stdout, stderr := &mask{to: j.out.Stdout, token: j.src.Token.Value}, &mask{to: j.out.Stderr, token: j.src.Token.Value}
	code, err := j.Run(ctx, Command{
		Argv: append([]string{"/bin/sh", "-c", aloneScript + script, "sh", tmp, s.common, s.format}, args...),
		Env:  env, Stdout: stdout, Stderr: stderr,
	})
	stdout.flush()
	stderr.flush()
	if err == nil && code != 0 && stderr.refused {
		_, _ = io.WriteString(j.out.Stderr, j.tokenHint())
	}
	return code, err
}

// tokenHint is what to do where credentials were wanted or refused.
func (j *job) tokenHint() string {
	if j.src.Token.Secret == "" {
		return "no token was given: declare secret \"NAME\" { env = \"VARIABLE\" } and write token = secret.NAME in the source\n"
	}
	return "secret." + j.src.Token.Secret + " was given as the token: see that it is valid, hasn't run out, and may do this in " + j.src.URL + "\n"
}

// clean removes a folder of ours, whatever has become of ctx.
func (j *job) clean(ctx context.Context, tmp string) {
	_, _ = j.Run(context.WithoutCancel(ctx), Command{
		Argv: []string{"rm", "-rf", "--", tmp}, Env: map[string]string{}, Stdout: io.Discard, Stderr: io.Discard,
	}) // it holds no secret, and goes with the sandbox at the latest
}

// mask takes the token out of lines.
type mask struct {
	to    io.Writer
	token string
	line  []byte

	refused bool // somebody said that credentials are wanted, or no good
}

// Write implements io.Writer.
func (m *mask) Write(p []byte) (int, error) {
	m.line = append(m.line, p...)
	if i := bytes.LastIndexAny(m.line, "\r\n"); i >= 0 {
		m.refused = m.refused || gitsource.Refused(string(m.line[:i]))
		if _, err := io.WriteString(m.to, gitsource.Hide(string(m.line[:i+1]), m.token)); err != nil {
			return 0, err
		}
		m.line = append(m.line[:0], m.line[i+1:]...)
	}
	return len(p), nil
}

func (m *mask) flush() {
	if len(m.line) > 0 {
		_, _ = io.WriteString(m.to, gitsource.Hide(string(m.line), m.token)) // its end is told by who writes next
		m.line = nil
	}
}
