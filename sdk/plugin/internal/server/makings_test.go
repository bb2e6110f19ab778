package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestAListWaitsForCreatesThatWereGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c makings
		given, giveUp := context.WithCancel(t.Context())
		endGivenUp := c.begin(given)
		endOther := c.begin(t.Context())
		defer endOther()
		if err := c.settle(t.Context()); err != nil {
			t.Fatalf("a create that is wanted is waited for: %v", err)
		}
		giveUp()
		settled := false
		go func() {
			if err := c.settle(t.Context()); err != nil {
				t.Error(err)
			}
			settled = true
		}()
		synctest.Wait()
		if settled {
			t.Error("settled before the create has ended")
		}
		short, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.settle(short); !errors.Is(err, context.Canceled) {
			t.Errorf("a list that is given up waits on: %v", err)
		}
		endGivenUp()
		synctest.Wait()
		if !settled {
			t.Error("not settled after the create has ended")
		}
	})
}
