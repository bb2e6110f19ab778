package runs

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// watched is a pump as far as its watchdogs need it, whose agent has printed
// *read bytes. An agent that is ended is ended at once.
func watched(t *testing.T, read *int64) *pump {
	t.Helper()
	p := &pump{drive: &drive{log: &log{}}, asks: map[string]*waiting{}, killed: true}
	p.read = func() int64 { return *read }
	p.clocks.start(config.Timeouts{
		Startup: time.Minute, Idle: 10 * time.Minute, Tool: 30 * time.Minute, AfterResult: 10 * time.Second, Run: 2 * time.Hour,
	})
	t.Cleanup(p.clocks.stop)
	return p
}

// rings is the next clock that counts, and when it rings.
func rings(p *pump) (string, time.Duration) {
	began := time.Now()
	return heard(&p.clocks), time.Since(began)
}

func toolCall(kind string) []byte {
	return []byte(`{"type":"TOOL_CALL_` + kind + `","toolCallId":"t","toolCallName":"Bash"}`)
}

func TestHowLongAnAgentMayBeSilent(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*pump)
		clock  string
		after  time.Duration
	}{
		{"as long as idle says", func(*pump) {}, clockIdle, 10 * time.Minute},
		{"longer while a tool works", func(p *pump) { p.doings.note([][]byte{toolCall("START"), toolCall("END")}) }, clockIdle, 30 * time.Minute},
		{"no longer while it writes a tool's arguments", func(p *pump) { p.doings.note([][]byte{toolCall("START"), toolCall("ARGS")}) }, clockIdle, 10 * time.Minute},
		{"no longer once the tool is done", func(p *pump) { p.doings.note([][]byte{toolCall("START"), toolCall("END"), toolCall("RESULT")}) }, clockIdle, 10 * time.Minute},
		{"never shorter for a tool", func(p *pump) {
			p.clocks.bounds.Tool = 0 // of a run that an older build began
			p.doings.note([][]byte{toolCall("START"), toolCall("END")})
		}, clockIdle, 10 * time.Minute},
		{"as long as it likes while a request waits", func(p *pump) { p.asks["1"] = &waiting{} }, clockRun, 2 * time.Hour},
		{"as long as it likes after its result", func(p *pump) { p.given() }, clockAfterResult, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var read int64
				p := watched(t, &read)
				c.change(p)
				p.alive()
				if clock, after := rings(p); clock != c.clock || after != c.after {
					t.Errorf("%s rings after %s, want %s after %s", clock, after, c.clock, c.after)
				}
			})
		})
	}
}

// TestOnlyTheExitIsAwaitedAfterTheResult has bounds for silence that are shorter
// than the one for the exit.
func TestOnlyTheExitIsAwaitedAfterTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var read int64
		p := watched(t, &read)
		p.clocks.bounds.Idle = time.Second
		p.alive()
		p.given()
		p.alive() // what it says after that counts as little
		if clock, after := rings(p); clock != clockAfterResult || after != 10*time.Second {
			t.Errorf("%s rings after %s", clock, after)
		}
	})
}

// TestALineThatTakesItsTimeIsASignOfLife has an agent that prints one line for
// longer than the idle clock, a byte now and then.
func TestALineThatTakesItsTimeIsASignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var read int64
		p := watched(t, &read)
		p.alive()
		for range 5 {
			read++
			clock, after := rings(p)
			if clock != clockIdle || after != 10*time.Minute {
				t.Fatalf("%s rings after %s", clock, after)
			}
			if p.silent(t.Context()); p.forced != nil {
				t.Fatalf("it was ended: %s", p.forced)
			}
		}
	})
}

// TestLinesThatTheHarnessOwesAnAnswerToAreNoSilence has a clock that rings while
// the agent's lines wait for the harness, or for our store.
func TestLinesThatTheHarnessOwesAnAnswerToAreNoSilence(t *testing.T) {
	for _, clock := range []string{clockIdle, clockStartup} {
		t.Run(clock, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var read int64
				p := watched(t, &read)
				p.owed.Store(1)
				p.clocks.set(clock, time.Second)
				if got, _ := rings(p); got != clock {
					t.Fatalf("%s rings", got)
				}
				p.clockRang(t.Context(), clock)
				if p.forced != nil {
					t.Fatalf("it was ended at once: %s", p.forced)
				}
				if got, after := rings(p); got != clock || after != silence {
					t.Fatalf("%s rings after %s", got, after)
				}
				if p.alive(); p.quiet.owed {
					t.Error("the harness has answered, and still owes")
				}
			})
		})
	}
}

func TestWhatTheProcessesOfAnAgentDoIsTold(t *testing.T) {
	stat := func(state, user, system string) string {
		return state + " 1 1 1 0 -1 4 0 0 0 0 " + user + " " + system + " 0 0"
	}
	long := strings.Repeat("x", 200)
	seen := strings.Join([]string{
		"10\t" + stat("S", "0", "0") + "\t/bin/sh -c # Runs the agent with its output appended to the journal, and leaves its exit # code",
		"11\t" + stat("S", "30", "12") + "\tclaude -p  secret ",
		"12\t" + stat("T", "0", "0") + "\tstopped",
		"13\t" + stat("R", "100", "0") + "\t" + long,
		"14\t" + stat("Z", "0", "0") + "\tcorpse",
		"15\t" + stat("D", "x", "y") + "\tcut",
		"16\tS 1",
		"nonsense",
	}, "\n")
	redact := func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "secret", "***")) }
	want := []string{
		"process 11 is sleeping, 420ms of CPU: claude -p ***",
		"process 12 is stopped (SIGSTOP; CONT lets it go on), 0s of CPU: stopped",
		"process 13 is running, 1s of CPU: " + long[:mostCommand-1] + "…",
		"process 14 is a zombie, 0s of CPU: corpse",
		"process 15 is waiting for a disk or a device, an unknown amount of CPU: cut",
	}
	if diff := cmp.Diff(want, processLines(seen, redact)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := processLines(strings.Repeat("1\t"+stat("S", "0", "0")+"\tx\n", 12), redact); len(got) != mostProcesses+1 || got[mostProcesses] != "and 2 more processes" {
		t.Errorf("of twelve it tells %q", got)
	}
}

func TestTheLastEventIsNamed(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "none"},
		{string(toolCall("START")), "TOOL_CALL_START (Bash), 0s ago"},
		{`{"type":"TOOL_CALL_END","toolCallId":"t"}`, "TOOL_CALL_END (Bash), 0s ago"},
		{`{"type":"CUSTOM","name":"acp.session-id"}`, "CUSTOM (acp.session-id), 0s ago"},
		{`{`, "one that can't be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a activity
			if c.name != "" {
				a.note([][]byte{toolCall("START"), []byte(c.name)})
			}
			if got := a.lastEvent(); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
