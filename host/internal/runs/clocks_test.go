package runs

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// heard is the next clock that rings and still counts.
func heard(c *clocks) string {
	for a := range c.ring {
		if c.current(a) {
			return a.name
		}
	}
	return ""
}

func TestClocksRingWhenTheirTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		c.start(config.Timeouts{Startup: time.Minute, Idle: time.Second, Run: time.Hour})
		defer c.stop()
		began := time.Now()
		if got := heard(&c); got != clockStartup || time.Since(began) != time.Minute {
			t.Errorf("%s rings after %s", got, time.Since(began))
		}
		c.output(time.Second)
		if got := heard(&c); got != clockIdle {
			t.Errorf("%s rings after output", got)
		}
		if got := heard(&c); got != clockRun || time.Since(began) != time.Hour {
			t.Errorf("%s rings after %s", got, time.Since(began))
		}
	})
}

func TestTheIdleClockStandsStillWhileARequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		c.start(config.Timeouts{Startup: time.Minute, Idle: time.Second, Run: time.Hour})
		defer c.stop()
		c.output(0)
		if got := heard(&c); got != clockRun {
			t.Errorf("%s rings while a request waits", got)
		}
	})
}

func TestAnAlarmThatWasClearedWhileItRangDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		c.start(config.Timeouts{Startup: time.Second, Idle: time.Hour, Run: 2 * time.Hour})
		defer c.stop()
		<-time.After(2 * time.Second) // in the bubble: startup rings, and nobody listens yet
		synctest.Wait()
		c.output(time.Hour)
		if got := heard(&c); got != clockIdle {
			t.Errorf("%s rings, though it was cleared", got)
		}
	})
}
