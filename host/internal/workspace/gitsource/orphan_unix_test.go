//go:build unix

package gitsource_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

// TestMain is also the program that a test kills: it fetches what FETCH_URL names.
func TestMain(m *testing.M) {
	url := os.Getenv("FETCH_URL")
	if url == "" {
		os.Exit(m.Run())
	}
	f := &gitsource.Fetcher{
		Cache: os.Getenv("FETCH_CACHE"), Env: os.LookupEnv, Token: gitsource.Token{Secret: "GH", Value: secretToken},
		Tell: func(string) {}, Warn: func(string, string) {},
	}
	if _, err := f.Fetch(context.Background(), gitsource.Remote{URL: url, Ref: "main", Depth: 1}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// What git has started for a fetch ends with whoever fetches, also if that is
// killed while the server keeps silent: it has the token in its environment.
func TestNothingOfAFetchOutlivesWhoFetches(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "f", "x")
	s := serve(t, filepath.Dir(r.dir), secretToken)
	url := s.URL + "/" + filepath.Base(r.dir)
	asked, hold := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(hold) })
	var once sync.Once
	s.Watch(func() {
		once.Do(func() { close(asked) })
		<-hold
	})
	cache := filepath.Join(t.TempDir(), "cache")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_SSL_CAINFO=" + s.CA, "FETCH_URL=" + url, "FETCH_CACHE=" + cache}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for commandLines(url) != "" {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("left running: %s", commandLines(url))
		}
	}
}
