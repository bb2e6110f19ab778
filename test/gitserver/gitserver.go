// Package gitserver serves git repositories over TLS, as a host of private
// repositories does: whoever hasn't got the token is turned away. It runs git
// http-backend, so git is needed. Tests alone may import it.
package gitserver

import (
	"crypto/subtle"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Server serves the repositories below a folder.
type Server struct {
	*httptest.Server

	CA string // file of its certificate, for GIT_SSL_CAINFO

	mu       sync.Mutex
	seen     []string
	redirect func(*http.Request) string
	during   func()
}

// Start serves what is below dir; with a token only to those who have it as their
// password. Its certificate goes into a file in the folder own. It is closed by the
// caller.
func Start(dir, token, own string) (*Server, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	s := &Server{CA: filepath.Join(own, "ca.pem")}
	backend := &cgi.Handler{
		Path: path, Args: []string{"-c", "http.receivepack=true", "http-backend"}, Stderr: io.Discard,
		Env: []string{
			"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
			"PATH=" + os.Getenv("PATH"),
		},
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		redirect := s.note(r.Method + " " + r.URL.Path + " " + password)
		if redirect != nil {
			http.Redirect(w, r, redirect(r), http.StatusFound)
			return
		}
		if token != "" && subtle.ConstantTimeCompare([]byte(password), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you, "+password+"?", http.StatusUnauthorized)
			return
		}
		h := *backend
		h.Env = append(h.Env[:len(h.Env):len(h.Env)], "GIT_PROTOCOL="+r.Header.Get("Git-Protocol"))
		h.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of those who don't trust it
	s.StartTLS()
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(s.CA, block, 0o600); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// note remembers a request, and returns what is to be done with it.
func (s *Server) note(line string) (redirect func(*http.Request) string) {
	s.mu.Lock()
	s.seen = append(s.seen, line)
	redirect, during := s.redirect, s.during
	s.mu.Unlock()
	if during != nil {
		during()
	}
	return redirect
}

// Requests are those since the last call, each "METHOD PATH PASSWORD".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// Redirect sends everybody elsewhere from now on; nil: nobody.
func (s *Server) Redirect(to func(*http.Request) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.redirect = to
}

// Watch has f called in each request from now on; nil: nothing.
func (s *Server) Watch(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.during = f
}
