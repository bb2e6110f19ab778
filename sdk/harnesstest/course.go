package harnesstest

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// course is how one session of the suite goes.
type course struct {
	start   harness.Start
	options Options
	output  []byte
	read    func() int          // size of each read of output
	between func(*player) error // before each batch; nil: nothing
	step    bool                // wait for each batch to be read and answered
}

func wholeReads() int { return 1 << 30 }

// inLines gives each line a batch of its own.
func (c course) inLines() course {
	c.read = func() int { return 1 }
	return c
}

func (c course) with(between func(*player) error) course {
	c.between = between
	return c
}

// decided answers every request alike, in time for the next line; nil: not at
// all.
func (c course) decided(d *harness.Decision) course {
	c = c.inLines()
	c.step = true
	c.options.Decide = func(*harness.Ask) *harness.Decision {
		if d == nil {
			return nil
		}
		answer := *d
		return &answer
	}
	return c
}

// canceled sends a cancel before the given line.
func (c course) canceled(line int) course {
	return c.with(func(p *player) error {
		line--
		if line != -1 {
			return nil
		}
		return p.send(&harness.Cancel{})
	})
}

// session plays one session and fails the test if it can't.
func (c course) session(t T, open Opener) *Record {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), c.options.Timeout)
	defer stop()
	record, err := play(ctx, open, c.start, hooks{decide: c.options.Decide}, c.feed)
	if err != nil {
		t.Fatalf("play session: %v", err)
	}
	if record.Result == nil {
		t.Fatalf("play session: no Done came")
	}
	return record
}

func (c course) feed(p *player) error {
	if _, err := p.awaitLaunch(); err != nil {
		return err
	}
	for _, lines := range frame(c.output, c.read) {
		if c.between != nil {
			if err := c.between(p); err != nil {
				return err
			}
		}
		if err := p.send(lines); err != nil {
			return err
		}
		if c.step {
			if err := p.lockstep(lines.End); err != nil {
				return err
			}
		}
	}
	exit := *c.options.Exit
	return p.send(&exit)
}
