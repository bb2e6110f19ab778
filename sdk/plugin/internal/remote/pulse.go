package remote

import (
	"context"
	"fmt"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	health "google.golang.org/grpc/health/grpc_health_v1"
)

// pulses is how many questions in a row the other end must leave open to be taken
// for one that hangs. One isn't enough: this process may have been stopped itself,
// and finds its own clock run out before it reads the answer.
const pulses = 3

// Hangs asks the other end all the time whether it answers. It returns true once
// that left too many questions in a row open, since it was stopped, spins or waits
// for itself; false once ended is closed.
func (c *Conn) Hangs(ended <-chan struct{}) bool {
	tick := time.NewTicker(c.Timeouts.Pulse)
	defer tick.Stop()
	for missed := 0; ; {
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
		if missed++; c.answers() {
			missed = 0
		}
		if missed == pulses {
			return true
		}
	}
}

// answers asks what every plugin is asked, by go-plugin's own service: whether it
// serves. Any answer will do.
func (c *Conn) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeouts.Pulse)
	defer cancel()
	_, err := health.NewHealthClient(c.RPC).Check(ctx, &health.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err == nil || ctx.Err() == nil
}

// SilentFor says for how long one that hangs had not answered.
func (c *Conn) SilentFor() string {
	return fmt.Sprintf("did not answer for %s, and was ended", pulses*c.Timeouts.Pulse)
}
