package runs

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// wakeful is a sandbox that its backend stops when it seems idle; every other time it
// gives no answer.
type wakeful struct {
	crowded

	can   bool
	began time.Time
	calls []time.Duration // since the beginning
	span  time.Duration   // as it was last told
}

func (k *wakeful) Info() sandbox.Info {
	return sandbox.Info{Capabilities: sandbox.Capabilities{Keeps: k.can}}
}

func (k *wakeful) KeepAlive(ctx context.Context, d time.Duration) error {
	k.calls, k.span = append(k.calls, time.Since(k.began)), d
	if len(k.calls)%2 == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func TestASandboxIsKeptAliveWhileARunIsAtWork(t *testing.T) {
	for _, c := range []struct {
		name  string
		keep  time.Duration // lifecycle.keep_alive
		can   bool
		calls []time.Duration // in the first two minutes
		span  time.Duration
	}{
		{"at once, and three times as often as it would have to be", 90 * time.Second, true, []time.Duration{0, 30 * time.Second, 60 * time.Second, 90 * time.Second}, 90 * time.Second},
		{"no more often than makes sense", time.Second, true, []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second, 40 * time.Second, 50 * time.Second, 60 * time.Second, 70 * time.Second, 80 * time.Second, 90 * time.Second, 100 * time.Second, 110 * time.Second}, keepLeast},
		{"as long as the language's default says, for a run of an earlier build", 0, true, []time.Duration{0}, config.DefaultKeepAlive},
		{"never, where the sandbox isn't stopped by anybody", 90 * time.Second, false, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := &wakeful{can: c.can, began: time.Now()}
				d := &drive{
					Engine: &Engine{Log: slog.New(slog.DiscardHandler)},
					record: &Record{Spec: &config.Spec{Lifecycle: config.Lifecycle{KeepAlive: c.keep}}},
				}
				stop := d.keepAlive(t.Context(), box)
				<-time.After(2*time.Minute - time.Second)
				stop()
				<-time.After(time.Hour)
				if !slices.Equal(box.calls, c.calls) || box.span != c.span {
					t.Errorf("called after %v, for %s", box.calls, box.span)
				}
			})
		})
	}
}
