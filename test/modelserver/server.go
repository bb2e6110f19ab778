package modelserver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

type object = map[string]any

// epoch is when every answer was made: the same in each run of a test.
const epoch = 1_750_000_000

// Server answers one agent by one script.
type Server struct {
	t      testing.TB
	agent  Agent
	script Script
	key    string
	http   *httptest.Server

	mu       sync.Mutex
	next     int // turn of the script
	requests []Request
}

// Start serves until the test ends. The test fails if the agent asks for what
// the script doesn't have, or leaves turns of it unasked.
func Start(t testing.TB, agent Agent, script Script) *Server {
	t.Helper()
	return StartAt(t, "127.0.0.1", agent, script)
}

// StartAt is Start on an address of this machine that isn't its loopback, for an
// agent that can't reach that.
func StartAt(t testing.TB, address string, agent Agent, script Script) *Server {
	t.Helper()
	if err := script.check(); err != nil {
		t.Fatalf("script: %v", err)
	}
	s := &Server{t: t, agent: agent, script: script, key: "key-" + rand.Text()}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatalf("model server: %v", err)
	}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	_ = s.http.Listener.Close()
	s.http.Listener = listener
	s.http.Start()
	t.Cleanup(func() {
		s.http.CloseClientConnections() // an agent that was killed needn't say goodbye
		s.http.Close()
		if left := s.Left(); left > 0 && !t.Failed() {
			t.Errorf("model server: the agent left %d of %d turns of the script unasked", left, len(script))
		}
	})
	return s
}

// check finds mistakes of who wrote a script.
func (s Script) check() error {
	for i, turn := range s {
		if turn.Forever && i != len(s)-1 {
			return fmt.Errorf("turn %d is forever, and others follow", i)
		}
		for _, p := range turn.Parts {
			if _, ok := p.(Failure); ok && len(turn.Parts) > 1 {
				return fmt.Errorf("turn %d has a failure beside other parts", i)
			}
		}
	}
	return nil
}

// URL is the base of the API, with its version: http://127.0.0.1:PORT/v1.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Key is the only one that the server accepts.
func (s *Server) Key() string { return s.key }

// Requests are all so far, in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Asked are the requests of one kind so far.
func (s *Server) Asked(kind Kind) []Request {
	var found []Request
	for _, r := range s.Requests() {
		if r.Kind == kind {
			found = append(found, r)
		}
	}
	return found
}

// Left is how many turns of the script nobody has asked for.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script) - s.next
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent went away while it asked
	}
	req := Request{Method: r.Method, Path: r.URL.Path, Header: withoutSecrets(r.Header), Body: body}
	path := pathOf(r.URL)
	f, isFixed := s.agent.fixed[r.Method+" "+path]
	d := dialectOf(r.Method, path)
	wrongKey := key(r.Header) != s.key && !f.open
	switch {
	case d == nil && !isFixed:
		s.unexpected(w, req, "")
	case wrongKey:
		req.Kind = Denied
		s.record(req)
		fail := Failure{Status: http.StatusUnauthorized, Type: "authentication_error", Message: "the API key is not valid"}
		reply(w, fail.Status, chat{}.failure(fail))
	case isFixed:
		req.Kind = Fixed
		s.record(req)
		reply(w, f.status, f.body)
	default:
		s.converse(w, r, d, req)
	}
}

func dialectOf(method, path string) dialect {
	for _, d := range dialects() {
		if method == http.MethodPost && d.path() == path {
			return d
		}
	}
	return nil
}

// converse answers a request of a conversation: by the script, or with a word.
func (s *Server) converse(w http.ResponseWriter, r *http.Request, d dialect, req Request) {
	var streamed bool
	req.Model, streamed = modelOf(req.Body)
	var err error
	if req.Results, err = d.results(req.Body); err != nil {
		s.unexpected(w, req, err.Error())
		return
	}
	if s.agent.side(r.Header) {
		req.Kind = Side
		s.record(req)
		s.play(w, r, d, req, streamed, Say("Side answer"))
		return
	}
	turn, ok := s.take(&req)
	if !ok {
		s.unexpected(w, req, fmt.Sprintf("the script has only %d turns", len(s.script)))
		return
	}
	s.play(w, r, d, req, streamed, turn)
}

// take gives the script's next turn, and records the request as it.
func (s *Server) take(req *Request) (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.next
	if at > 0 && at == len(s.script) && s.script[at-1].Forever {
		at--
	}
	if at >= len(s.script) {
		return Turn{}, false
	}
	s.next = at + 1
	req.Kind, req.Turn = Main, at
	s.requests = append(s.requests, *req)
	return s.script[at], true
}

func (s *Server) record(req Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
}

// unexpected fails the test, and answers with an error that agents don't retry.
func (s *Server) unexpected(w http.ResponseWriter, req Request, why string) {
	req.Kind = Unexpected
	s.record(req)
	s.t.Errorf("model server: unexpected request %s %s: %s\n%.2000s", req.Method, req.Path, why, req.Body)
	reply(w, http.StatusBadRequest, chat{}.failure(Failure{Type: "invalid_request_error", Message: "the test's script doesn't have this request"}))
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // an agent that went away needs no answer
}

func (f Failure) reply(w http.ResponseWriter, d dialect) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds())))
	}
	reply(w, f.Status, d.failure(f))
}
