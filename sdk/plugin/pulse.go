package plugin

import "context"

// feelPulse ends a plugin that hangs: it would keep every call waiting that may
// take long. So all of them end as with any plugin that died.
func (c *Client) feelPulse() {
	if c.conn.Hangs(c.proc.Exited()) && !c.closing.Load() {
		c.hung.Store(true)
		_ = c.proc.Kill(context.Background()) // it only waits
	}
}

// silentFor says for how long one that was killed had not answered.
func (c *Client) silentFor() string { return c.conn.SilentFor() }
