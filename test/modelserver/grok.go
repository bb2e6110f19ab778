package modelserver

import (
	"net/http"
	"strings"
)

// Agent is what one agent asks beside its conversation.
type Agent struct {
	fixed map[string]fixed // by method and path
	side  func(http.Header) bool
}

// fixed is an answer that is always the same.
type fixed struct {
	status int
	body   any
	open   bool // no key is needed
}

// Grok is Grok Build. It takes the first model that is listed, and marks its
// requests for a title (no id) and for a summary.
func Grok() Agent {
	return Agent{
		fixed: map[string]fixed{
			"GET /models":  {status: http.StatusOK, body: models("xai", "grok-build-0.1", "grok-build-0.2")},
			"GET /api-key": {status: http.StatusNotFound, body: object{"error": "not found"}},
			"GET /":        {status: http.StatusNotFound, body: object{"error": "not found"}, open: true},
		},
		side: func(h http.Header) bool {
			id := h.Get("X-Grok-Req-Id")
			return id == "" || strings.HasPrefix(id, "xai-turn-summary-")
		},
	}
}

// models is a list of models as OpenAI's API gives it.
func models(owner string, ids ...string) object {
	var all []any
	for _, id := range ids {
		all = append(all, object{"id": id, "object": "model", "created": epoch, "owned_by": owner})
	}
	return object{"object": "list", "data": all}
}
