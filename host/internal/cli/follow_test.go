package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// tidying is a driver that has ended its run and cleans up behind it.
type tidying struct {
	asked chan struct{} // one for each time somebody waits
	done  chan struct{}
}

func (d *tidying) Done() <-chan struct{} {
	d.asked <- struct{}{}
	return d.done
}

func (d *tidying) Err() error { return nil }

// The driver that `run` starts may have claimed the run, or even ended it, before
// anybody looks whether the run has a driver.
func TestWhoStartedTheDriverWaitsUntilItHasCleanedUp(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	run, err := st.CreateRun(t.Context(), store.NewRun{ID: "r", Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := st.Claim(t.Context(), run.ID, store.Driver{PID: os.Getpid()}, time.Minute, nil)
	if err == nil {
		err = st.Finish(t.Context(), run.ID, epoch, nil, store.Outcome{Status: store.Completed})
	}
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	a := &app{world: World{Stdin: null, Stdout: null, Stderr: null}}
	driver := &tidying{asked: make(chan struct{}, 1), done: make(chan struct{})}
	returned := make(chan error, 1)
	go func() {
		returned <- a.follow(t.Context(), st, run, follow{driver: driver, launch: func(context.Context, string) (runs.Driver, error) {
			return nil, errors.New("another driver is launched")
		}})
	}()
	select {
	case err := <-returned:
		t.Fatalf("it returned before the driver had ended: %v", err)
	case <-driver.asked:
	}
	close(driver.done)
	if err := <-returned; err != nil {
		t.Error(err)
	}
}
