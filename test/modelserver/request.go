package modelserver

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Request is one that an agent made.
type Request struct {
	Method, Path string
	Header       http.Header // without secrets: what carries one is "***"
	Body         []byte
	Kind         Kind
	Turn         int      // of the script, for Main; from 0
	Model        string   // that it asks for
	Results      []Result // of tools, that it carries: the whole conversation's
}

// Kind tells requests of the conversation from others.
type Kind string

const (
	Main       Kind = "main"       // answered by the script
	Side       Kind = "side"       // a title, a summary: answered with a word
	Fixed      Kind = "fixed"      // a list of models, and what an agent asks about itself
	Denied     Kind = "denied"     // it had another key than the server's
	Unexpected Kind = "unexpected" // it fails the test
)

// withoutSecrets copies headers, and blanks those that carry keys.
func withoutSecrets(h http.Header) http.Header {
	out := h.Clone()
	for name := range out {
		if slices.Contains([]string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Cookie"}, name) {
			out[name] = []string{"***"}
		}
	}
	return out
}

// key is the secret that a request brings, empty without one.
func key(h http.Header) string {
	if bearer, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	return h.Get("X-Api-Key")
}

// modelOf is the member "model" of a body, and whether it asks for a stream.
func modelOf(body []byte) (model string, streamed bool) {
	var b struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	_ = json.Unmarshal(body, &b) // what isn't JSON has no model
	return b.Model, b.Stream
}

// pathOf is where a request goes, without what an agent adds to it.
func pathOf(u *url.URL) string { return strings.TrimPrefix(u.Path, "/v1") }
