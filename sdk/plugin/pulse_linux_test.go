package plugin_test

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestAPluginThatIsStoppedIsEnded(t *testing.T) {
	var reports atomic.Int32
	c, _ := launched(t, func(o *plugin.LaunchOptions) {
		o.Timeouts.Pulse = time.Second
		o.Report = func(plugin.Incident) string {
			reports.Add(1)
			return "/crashes/1.txt"
		}
	})
	sb := boxed(t, c)
	p, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: "exec sleep 60"})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(c.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if exit.Reason != sandbox.ReasonUnknown || !errors.Is(err, sandbox.Unavailable) {
		t.Errorf("got %+v, %v", exit, err)
	}
	const want = "follow p: the plain plugin did not answer for 3s, and was ended (it hangs, or was stopped) in Start"
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "; report: /crashes/1.txt") {
		t.Errorf("got %v", err)
	}
	if died, ok := errors.AsType[*plugin.DiedError](c.Err()); !ok || !died.Killed {
		t.Errorf("who may start it anew is told %#v", c.Err())
	}
	if running(pid) || reports.Load() != 1 {
		t.Errorf("it runs: %v; %d reports", running(pid), reports.Load())
	}
	_ = syscall.Kill(p.PID(), syscall.SIGKILL) // nobody was left to do it
}
