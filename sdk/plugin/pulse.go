package plugin

import (
	"context"
	"fmt"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	health "google.golang.org/grpc/health/grpc_health_v1"
)

// pulses is how many questions in a row a plugin must leave open to be taken for
// one that hangs. One isn't enough: this process may have been stopped itself, and
// finds its own clock run out before it reads the answer.
const pulses = 3

// feelPulse asks a plugin all the time whether it answers. One that doesn't, since
// it was stopped, spins or waits for itself, would keep every call waiting
// that may take long. It is killed, so that all of them end as with any plugin
// that died.
func (c *Client) feelPulse() {
	pulse := c.opts.Timeouts.Pulse
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for missed := 0; ; {
		select {
		case <-c.proc.Exited():
			return
		case <-tick.C:
		}
		if missed++; c.answers(pulse) {
			missed = 0
		}
		if missed == pulses && !c.closing.Load() {
			c.hung.Store(true)
			_ = c.proc.Kill(context.Background()) // it only waits
			return
		}
	}
}

// answers asks what every plugin is asked, by go-plugin's own service: whether it
// serves. Any answer will do.
func (c *Client) answers(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, err := health.NewHealthClient(c.conn.RPC).Check(ctx, &health.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err == nil || ctx.Err() == nil
}

// silentFor says for how long one that was killed had not answered.
func (c *Client) silentFor() string {
	return fmt.Sprintf("did not answer for %s, and was ended", pulses*c.opts.Timeouts.Pulse)
}
