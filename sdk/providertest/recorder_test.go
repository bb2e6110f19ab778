//go:build unix

package providertest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder is a T that remembers which cases failed. It runs the cases whose
// names hold one of the words; without words, all.
type recorder struct {
	t     *testing.T
	name  string
	words []string

	mu       sync.Mutex
	failed   bool
	messages []string
	cleanups []func()
	results  *results
	ctx      context.Context //nolint:containedctx // of the case, as a test has one
}

type results struct {
	ran      int
	failures map[string][]string // by case
}

func (r *recorder) Context() context.Context       { return r.ctx }
func (r *recorder) Helper()                        {}
func (r *recorder) Logf(format string, a ...any)   {}
func (r *recorder) Cleanup(f func())               { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Fatalf(format string, a ...any) { r.Errorf(format, a...); runtime.Goexit() }

func (r *recorder) Errorf(format string, a ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
	r.messages = append(r.messages, fmt.Sprintf(format, a...))
}

func (r *recorder) Run(name string, part func(*recorder)) bool {
	isCase := r.name != ""
	wanted := func(word string) bool { return strings.Contains(name, word) }
	if isCase && len(r.words) > 0 && !slices.ContainsFunc(r.words, wanted) {
		return true
	}
	sub := &recorder{t: r.t, name: name, words: r.words, results: r.results}
	sub.do(func() { part(sub) })
	if isCase {
		r.results.ran++
		if sub.failed {
			r.results.failures[name] = sub.messages
		}
	}
	return !sub.failed
}

// do runs f as a test runs: on a goroutine of its own, then the cleanups.
func (r *recorder) do(f func()) {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.ctx = ctx
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			cancel()
			for len(r.cleanups) > 0 {
				last := r.cleanups[len(r.cleanups)-1]
				r.cleanups = r.cleanups[:len(r.cleanups)-1]
				last()
			}
		}()
		f()
	}()
	<-done
}
