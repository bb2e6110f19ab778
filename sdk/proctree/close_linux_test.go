package proctree

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

func TestClose(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		beats := []string{t.TempDir(), t.TempDir()}
		for i, dir := range beats {
			start(t, f, fmt.Sprint(i), leakcheck.Script, dir)
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(dir), leakcheck.Names()...); err != nil {
				t.Fatal(err)
			}
		}
		if f.Closed() {
			t.Error("closed from the start")
		}
		for range 2 {
			if err := f.Close(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Start(t.Context(), shell("late", "exit 0")); !errors.Is(err, ErrClosed) || !f.Closed() {
			t.Errorf("start in a closed directory: %v", err)
		}
		if err := os.Remove(f.recordDir() + "/" + closedMark); err != nil {
			t.Error(err)
		}
		for i, dir := range beats {
			noTrace(t, f, fmt.Sprint(i), dir)
		}
	})
}

func TestCloseWhileStarting(t *testing.T) {
	eachScope(t, func(t *testing.T, f *Forest) {
		var wg sync.WaitGroup
		first := make(chan struct{})
		for i := range 4 {
			wg.Go(func() {
				for n := 0; ; n++ {
					_, err := f.Start(t.Context(), shell(fmt.Sprint(i, n), "sleep 100"))
					if err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
					if i == 0 && n == 5 {
						close(first)
					}
				}
			})
		}
		<-first
		if err := f.Close(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if left, err := leakcheck.Processes(MarkTree + "=" + f.key); err != nil || len(left) > 0 {
			t.Errorf("left: %v %v", left, err)
		}
	})
}
