//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// TestAClockThatIsSetNeitherDeniesNorHangs moves the time at which a request runs
// out, as seen by who reads the store: that is what setting the machine's clock
// does. How long a request waits is measured, and not read from the clock.
func TestAClockThatIsSetNeitherDeniesNorHangs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, timeout string
		moved         time.Duration
		answer        bool
		by            string
	}{
		{"forward by a day", "10m", -24 * time.Hour, true, `"decision":"allow"`},
		{"back by a day", "2s", 24 * time.Hour, false, `"by":"timeout"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newDemo(t)
			s.edit(`approval_timeout = "10m"`, `approval_timeout = "`+c.timeout+`"`)
			running := s.start("run", "--json", "--run-id", "r", "ask run git init -q made\nsay over")
			running.await("approval.requested")
			db := s.database()
			real := s.number(db, `SELECT expires FROM approvals`)
			if _, err := db.ExecContext(t.Context(), `UPDATE approvals SET expires = expires + ?`, c.moved.Milliseconds()); err != nil {
				t.Fatal(err)
			}
			if c.answer {
				until(t, 20*time.Second, "the store tells the time that is left", func() bool {
					off := s.number(db, `SELECT expires FROM approvals`) - real
					return -5000 < off && off < 5000
				})
				s.run("approve", "r").want(t, 0)
			}
			if r := running.ends().want(t, 0); !strings.Contains(r.stdout, c.by) {
				t.Errorf("want %s: %s", c.by, clip(r.stdout))
			}
		})
	}
}
