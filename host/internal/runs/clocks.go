package runs

import (
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// The clocks of a run.
const (
	clockStartup     = "startup"
	clockIdle        = "idle"
	clockRun         = "run"
	clockAfterResult = "after_result"
	clockCancel      = "cancel" // the agent's own cancel has had its time
	clockSilence     = "silence"
)

// clocks are the watchdogs of one run. All but the tick ring once.
type clocks struct {
	bounds config.Timeouts
	alarms map[string]*alarm
	ring   chan *alarm
	tick   *time.Ticker // nil while no request waits
	quit   chan struct{}
}

// alarm is one setting of a clock.
type alarm struct {
	name  string
	timer *time.Timer
}

func (c *clocks) start(bounds config.Timeouts) {
	c.bounds, c.alarms = bounds, map[string]*alarm{}
	c.ring, c.quit = make(chan *alarm), make(chan struct{})
	c.set(clockStartup, bounds.Startup)
	c.set(clockRun, bounds.Run)
}

func (c *clocks) stop() {
	close(c.quit)
	for _, a := range c.alarms {
		a.timer.Stop()
	}
	if c.tick != nil {
		c.tick.Stop()
	}
}

// set makes a clock ring after d, from now.
func (c *clocks) set(name string, d time.Duration) {
	c.clear(name)
	a := &alarm{name: name}
	c.alarms[name] = a
	a.timer = time.AfterFunc(d, func() {
		select {
		case c.ring <- a:
		case <-c.quit:
		}
	})
}

func (c *clocks) clear(name string) {
	if a := c.alarms[name]; a != nil {
		a.timer.Stop()
		delete(c.alarms, name)
	}
}

func (c *clocks) rang() <-chan *alarm { return c.ring }

// current reports whether an alarm that rang still counts: it may have been
// cleared while it waited to be heard.
func (c *clocks) current(a *alarm) bool {
	if c.alarms[a.name] != a {
		return false
	}
	delete(c.alarms, a.name)
	return true
}

// output notes that the agent gave a sign of life, and for how long it may give
// none from now on; 0: as long as it likes.
func (c *clocks) output(quiet time.Duration) {
	c.clear(clockStartup)
	if quiet == 0 {
		c.clear(clockIdle)
		return
	}
	c.set(clockIdle, quiet)
}

// result starts the clock for the agent's exit. It owes nothing else any more.
func (c *clocks) result() {
	if c.alarms[clockAfterResult] == nil {
		c.set(clockAfterResult, c.bounds.AfterResult)
	}
	c.clear(clockStartup)
	c.clear(clockIdle)
}

// waits starts or stops looking for answers.
func (c *clocks) waits(yes bool) {
	switch {
	case yes && c.tick == nil:
		c.tick = time.NewTicker(answerPoll)
	case !yes && c.tick != nil:
		c.tick.Stop()
		c.tick = nil
	}
}

func (c *clocks) answers() <-chan time.Time {
	if c.tick == nil {
		return nil
	}
	return c.tick.C
}
