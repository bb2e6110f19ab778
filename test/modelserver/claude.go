package modelserver

import "net/http"

// Claude is Claude Code. In headless use it asks for nothing beside its
// conversation. An older version looks whether the server is there.
func Claude() Agent {
	return Agent{
		fixed: map[string]fixed{"HEAD /": {status: http.StatusOK, open: true}},
		side:  func(http.Header) bool { return false },
	}
}
