package gitsource

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// cause is a way in which talking to a repository goes wrong.
type cause struct {
	words []string // any of them, in what git says
	class sandbox.Class
	what  string
	hint  func(j *job, r remote) string
}

// What is about the token.
const (
	asksForCredentials = "it asks for credentials"
	refusesAccess      = "it refuses access"
)

func causes() []cause {
	return []cause{
		{
			[]string{"remote-https' is not a git command", "remote-http' is not a git command"},
			sandbox.Unsupported, "this machine's git can't speak https",
			hint("install git with its https part, of the same package or one called git-core or git-http"),
		},
		{[]string{"cannot run ssh", "ssh: not found", "ssh: command not found"}, sandbox.NotFound, "this machine has no program ssh", hint("install an OpenSSH client, or write an https:// URL")},
		{
			[]string{"could not read Username", "could not read Password", "Authentication failed", "terminal prompts disabled", "returned error: 401"},
			sandbox.Unauthenticated, asksForCredentials, (*job).tokenHint,
		},
		{[]string{"returned error: 403", "access denied", "Access denied"}, sandbox.Denied, refusesAccess, (*job).tokenHint},
		{
			[]string{"Permission denied (", "Permission denied, please"},
			sandbox.Unauthenticated, "ssh found no key that it accepts",
			hint("see what `ssh-add -l` says, and add the key to your agent; sandlot never asks for a passphrase"),
		},
		{
			[]string{"Host key verification failed"},
			sandbox.Denied, "ssh doesn't know the host's key",
			hint("connect to it once by hand with ssh, and look at the key that it shows"),
		},
		{
			[]string{"SSL certificate", "certificate verify failed", "server certificate verification", "unable to get local issuer"},
			sandbox.Denied, "its certificate isn't trusted", hint("name the file of your authority in SSL_CERT_FILE or GIT_SSL_CAINFO"),
		},
		{
			[]string{"dubious ownership"},
			sandbox.Denied, "the repository belongs to another user of this machine",
			hint("clone it as the user that sandlot runs as"),
		},
		{
			[]string{"Repository not found", "not found", "does not appear to be a git repository", "returned error: 404", "does not exist"},
			sandbox.NotFound, "there is no such repository, or it isn't shown to you", (*job).absentHint,
		},
		{
			[]string{"returned error: 5", "RPC failed; HTTP 5"},
			sandbox.Unavailable, "the server failed", hint("that is nothing of yours; try again later"),
		},
		{
			[]string{
				"Could not resolve", "Failed to connect", "Couldn't connect", "Connection refused", "Connection timed out", "Operation timed out",
				"Network is unreachable", "unable to access", "Operation too slow", "early EOF", "could not read from the remote", "RPC failed", "hung up",
			},
			sandbox.Unavailable, "it can't be reached", hint("look at your network and at HTTPS_PROXY, and try again"),
		},
		{[]string{"No space left"}, sandbox.Exhausted, "the disk is full", hint("make room, for instance with `sandlot gc`")},
	}
}

func hint(text string) func(*job, remote) string { return func(*job, remote) string { return text } }

// Refused reports whether what git said means that a repository wanted other
// credentials than it was given, or refused them.
func Refused(said string) bool {
	for _, c := range causes() {
		if slices.ContainsFunc(c.words, func(words string) bool { return strings.Contains(said, words) }) {
			return c.what == asksForCredentials || c.what == refusesAccess
		}
	}
	return false
}

// explain tells what it means that git couldn't talk to a repository.
func (j *job) explain(r remote, err error) error {
	explained, _ := j.known(r, err)
	return explained
}

// known also reports whether it is among the causes that have words of their own.
func (j *job) known(r remote, err error) (error, bool) {
	failed, ok := errors.AsType[*commandError](err)
	if !ok {
		return err, true
	}
	if failed.said == "" && r.access.protocol != "file" {
		failed.said = "could not read from the remote repository"
	}
	for _, c := range causes() {
		for _, words := range c.words {
			if strings.Contains(failed.said, words) {
				return &sandbox.Error{
					Class: c.class, Message: "fetch " + r.url + ": " + c.what + "; " + c.hint(j, r) + "; git said: " + failed.said, Cause: err,
				}, true
			}
		}
	}
	return &sandbox.Error{Class: sandbox.Unavailable, Message: "fetch " + r.url + ": " + failed.Error(), Cause: err}, false
}

// tokenHint is what to do when credentials are wanted.
func (j *job) tokenHint(r remote) string {
	switch {
	case r.access.token != "":
		return "secret." + j.Token.Secret + " was given as the token: see that it is valid, hasn't run out, and may read this repository"
	case j.Token.Secret != "":
		return "the token, secret." + j.Token.Secret + ", is for " + j.home + " alone and wasn't used here"
	}
	return "declare secret \"NAME\" { env = \"VARIABLE\" } and write token = secret.NAME in the source"
}

func (j *job) absentHint(r remote) string {
	if r.access.protocol != "https" {
		return "look at the URL"
	}
	return "look at the URL; a private one answers so to strangers: " + j.tokenHint(r)
}

// scrub takes the token out of an error. Git doesn't say it by itself, but what a
// server answers is repeated.
func (j *job) scrub(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if j.token == "" {
		return err
	}
	e := &sandbox.Error{Class: sandbox.ClassOf(err)}
	if said, ok := errors.AsType[*sandbox.Error](err); ok {
		e.Hint = said.Hint
	}
	e.Message = Hide(strings.TrimSuffix(err.Error(), " ("+e.Hint+")"), j.token)
	return e
}

// Hide replaces a token, in each form in which it is sent.
func Hide(text, token string) string {
	token = strings.TrimRight(token, "\r\n")
	if token == "" {
		return text
	}
	for _, form := range []string{
		token, url.QueryEscape(token), url.PathEscape(token),
		base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token)),
	} {
		text = strings.ReplaceAll(text, form, "***")
	}
	return text
}
