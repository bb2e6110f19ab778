package runs

import (
	"os/exec"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func TestADriverIsGoneOnlyIfItsProcessIs(t *testing.T) {
	me := Self()
	if me.BootID == "" || me.StartTime == "" || Gone(me) {
		t.Errorf("this process is gone: %+v", me)
	}
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	other := store.Driver{BootID: boot(), PID: cmd.Process.Pid, StartTime: startTime(cmd.Process.Pid)}
	if Gone(other) {
		t.Error("a process that runs is gone")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := waitid(cmd.Process.Pid); err != nil { // its corpse stays
		t.Fatal(err)
	}
	if !Gone(other) {
		t.Error("a corpse drives")
	}
	_ = cmd.Wait() // killed, as the error says
	if !Gone(other) {
		t.Error("a process that was reaped drives")
	}
	for name, d := range map[string]store.Driver{
		"of another boot":          {BootID: "other", PID: me.PID, StartTime: "1"},
		"of another pid namespace": {BootID: BootID() + " pid:[1]", PID: 1 << 30, StartTime: "1"},
		"that nobody knows":        {},
		"without a boot id":        {PID: 1, StartTime: "1"},
		"without a start time":     {BootID: me.BootID, PID: me.PID},
	} {
		if Gone(d) {
			t.Errorf("a driver %s is said to be gone", name)
		}
	}
	if reused := (store.Driver{BootID: me.BootID, PID: me.PID, StartTime: "1"}); !Gone(reused) {
		t.Error("a pid that somebody else has now drives")
	}
}
