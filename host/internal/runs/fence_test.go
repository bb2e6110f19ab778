package runs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// armed is a sandbox that counts what is done to it.
type armed struct{ kills atomic.Int32 }

func (a *armed) ID() string         { return "armed" }
func (a *armed) Info() sandbox.Info { return sandbox.Info{} }

func (a *armed) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	return nil, sandbox.Unsupported
}

func (a *armed) Kill(context.Context, string, time.Duration) error {
	a.kills.Add(1)
	return nil
}

func (a *armed) Alive(context.Context, string) (sandbox.Liveness, error) {
	return sandbox.AliveYes, nil
}

// TestADriverThatLostItsRunKillsNothing has an old driver act after its
// successor has claimed the run.
func TestADriverThatLostItsRunKillsNothing(t *testing.T) {
	st := openStore(t)
	l := claimed(t, st, "r")
	box := &armed{}
	p := &pump{
		drive:   &drive{Engine: &Engine{Store: st, Log: slog.New(slog.DiscardHandler)}, id: "r", run: l.run, epoch: l.epoch, log: l},
		sandbox: box, proc: "agent-r",
	}
	if err := p.killNow(t.Context()); err != nil || box.kills.Load() != 1 {
		t.Fatalf("the driver of a run may kill its agent: %v, %d kills", err, box.kills.Load())
	}
	claim(t, st, "r")
	if err := p.killNow(t.Context()); !errors.Is(err, store.ErrFenced) || box.kills.Load() != 1 {
		t.Errorf("the old driver kills the new one's agent: %v, %d kills", err, box.kills.Load())
	}
	p.kill(t.Context(), time.Second)
	if err := <-p.killing; !errors.Is(err, store.ErrFenced) || box.kills.Load() != 1 {
		t.Errorf("its watchdog does: %v, %d kills", err, box.kills.Load())
	}
}
