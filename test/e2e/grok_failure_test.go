//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestWhatGroksModelAnswersIsToldTruly has the model's service fail in several
// ways. Grok asks again after some of them, with bounds that the example sets.
func TestWhatGroksModelAnswersIsToldTruly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		turn   modelserver.Turn
		reason string
		most   int // requests that Grok makes before it gives up
	}{
		{"a key that is no longer valid", modelserver.Fail(401, "authentication_error", "the key was revoked"), "bad_key", 1},
		{"a bad request", modelserver.Fail(400, "invalid_request_error", "the model cannot do this"), "crashed", 1},
		{"an account without credit", modelserver.Fail(402, "insufficient_quota", "the account has no credit left"), "no_credit", 1},
		{"a failing service", modelserver.Fail(500, "server_error", "something broke"), "overloaded", 3},
		{"too many requests", modelserver.Fail(429, "rate_limit_error", "slow down"), "rate_limited", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // Grok waits for 2 s before it exits
			g := newGrok(t, modelserver.Script{c.turn})
			r := g.run("run", "--run-id", "r", "Begin").want(t, 3)
			events := g.run("attach", "--json", "r").want(t, 3).events(t)
			whole(t, events)
			last := events[len(events)-1].Event
			said := c.turn.Parts[0].(modelserver.Failure).Message
			if last.Code != c.reason || !strings.Contains(last.Message, said) || !strings.Contains(r.stderr, said) {
				t.Errorf("the run ends with %s: %q, want %s and %q\nstderr: %s", last.Code, last.Message, c.reason, said, r.stderr)
			}
			if n := len(g.model.Asked(modelserver.Main)); n == 0 || n > c.most {
				t.Errorf("the model was asked %d times, want at most %d", n, c.most)
			}
			busy{}.dead(t, g)
		})
	}
}

// TestABadKeyOfGrokIsToldBeforeAnythingIsAsked has a key that the service has
// never known: Grok then offers no way to sign in with one.
func TestABadKeyOfGrokIsToldBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	g := newGrok(t, nil)
	g.env = append(g.env, "XAI_API_KEY=another-key-than-the-servers")
	r := g.run("run", "--run-id", "r", "Begin").want(t, 3)
	if !strings.Contains(r.stderr, "check the key") || !strings.Contains(r.stderr, "xai.api_key") {
		t.Errorf("stderr: %s", r.stderr)
	}
	events := g.run("attach", "--json", "r").want(t, 3).events(t)
	whole(t, events)
	if last := events[len(events)-1].Event; last.Code != "bad_key" {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
	if n := len(g.model.Asked(modelserver.Denied)); n == 0 {
		t.Error("the key was never shown to the service")
	}
}

func TestGrokWithoutItsKeyIsNotStarted(t *testing.T) {
	t.Parallel()
	g := newGrok(t, nil)
	g.without("XAI_API_KEY")
	r := g.run("run", "Begin").want(t, 2)
	if !strings.Contains(r.stderr, "XAI_API_KEY") {
		t.Errorf("stderr: %s", r.stderr)
	}
	if n := len(g.model.Requests()); n != 0 {
		t.Errorf("the service was asked %d times", n)
	}
}

func TestGrokThatIsNotInstalledIsNamed(t *testing.T) {
	t.Parallel()
	g := newGrok(t, nil)
	g.env = append(g.env, "PATH="+built)
	r := g.run("run", "Begin").want(t, 3)
	if !strings.Contains(r.stderr, "grok") || !strings.Contains(r.stderr, "install grok") {
		t.Errorf("stderr: %s", r.stderr)
	}
}
