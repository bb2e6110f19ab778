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
			"GET /models":  {status: http.StatusOK, body: object{"object": "list", "data": []any{object{"id": "grok-build-0.1", "object": "model", "owned_by": "xai"}}}},
			"GET /api-key": {status: http.StatusNotFound, body: object{"error": "not found"}},
			"GET /":        {status: http.StatusNotFound, body: object{"error": "not found"}, open: true},
		},
		side: func(h http.Header) bool {
			id := h.Get("X-Grok-Req-Id")
			return id == "" || strings.HasPrefix(id, "xai-turn-summary-")
		},
	}
}
