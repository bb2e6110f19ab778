//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestLongLinesArriveWhole(t *testing.T) {
	t.Parallel()
	for _, mib := range []int{1, 8, 32} {
		t.Run(fmt.Sprintf("%d MiB, duplex", mib), func(t *testing.T) {
			s := newDemo(t)
			events := s.run("run", "--json", fmt.Sprintf("line %d\nsay over", mib<<20)).want(t, 0).events(t)
			if n := len(text(events)); n < mib<<20 || n > mib<<20+10 {
				t.Errorf("got %d bytes of text, want %d", n, mib<<20)
			}
		})
		t.Run(fmt.Sprintf("%d MiB, journaled", mib), func(t *testing.T) {
			s := newMinimal(t)
			events := s.run("run", "--json", fmt.Sprintf("long %d\nsay over", mib<<20)).want(t, 0).events(t)
			if n := len(text(events)); n < mib<<20 || n > mib<<20+10 {
				t.Errorf("got %d bytes of text, want %d", n, mib<<20)
			}
		})
	}
}

// TestALineOverTheLimitIsDroppedAndToldOf has an agent that goes on after it.
func TestALineOverTheLimitIsDroppedAndToldOf(t *testing.T) {
	t.Parallel()
	const limit = 64 << 20
	s := scripted(t, false, "", fmt.Sprintf(`begin; say one; head -c %d /dev/zero | tr '\0' x; echo; say two; result`, limit))
	events := s.run("run", "--json", "go").want(t, 0).events(t)
	if got := text(events); got != "onetwo" {
		t.Errorf("the agent said %q", clip(got))
	}
	want := fmt.Sprintf("the agent printed a line of %d bytes, over the limit of %d; it was dropped", limit+1, limit)
	if got := warnings(events, "line_too_long"); len(got) != 1 || got[0] != want {
		t.Errorf("warnings: %q, want %q", got, want)
	}
}

func TestBytesThatAreNoTextDoNoHarm(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	events := s.run("run", "--json", "say before\nbinary\nsay after").want(t, 0).events(t)
	if got := text(events); !strings.Contains(got, "before") || !strings.Contains(got, "after") {
		t.Errorf("the text is %q", got)
	}
}

func TestWideCharactersArriveWhole(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	said := strings.Repeat("한글 你好 🙂 ", 20_000)
	s.write("prompt", "say "+said)
	events := s.run("run", "--json", "--prompt-file", "prompt").want(t, 0).events(t)
	if got := strings.TrimSpace(text(events)); got != strings.TrimSpace(said) {
		t.Errorf("got %d bytes of text, want %d", len(got), len(said))
	}
}

func TestStderrIsNeverInTheEvents(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*stage{"duplex": newDemo(t), "journaled": newMinimal(t)} {
		t.Run(name, func(t *testing.T) {
			hidden := word()
			r := s.run("run", "--json", "say a\nstderr "+hidden+"\nsay b").want(t, 0)
			if strings.Contains(r.stdout, hidden) {
				t.Errorf("an event holds what the agent wrote to stderr: %s", clip(r.stdout))
			}
		})
	}
}

func TestAFailureNamesExitCodeAndLastWords(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	words := word()
	for _, c := range []struct {
		prompt, says string
		code         int
	}{
		{"exit 3", "exit code 3", 3},
		{"exit 126", "exit code 126", 3},
		{"kill-self KILL", "signal 9", 3},
		{"kill-self TERM", "signal 15", 3},
	} {
		r := s.run("run", "stderr "+words+"\n"+c.prompt).want(t, c.code)
		if !strings.Contains(r.stderr, c.says) || !strings.Contains(r.stderr, words) {
			t.Errorf("%s: the end says %q, want %q and the last words", c.prompt, r.stderr, c.says)
		}
	}
}

func TestAnAgentThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit(`["sandlot-demo-agent"]`, `["no-such-agent"]`)
	events := s.run("run", "--json", "say a").want(t, 3).events(t)
	last := events[len(events)-1].Event
	if last.Code != "cli_missing" || !strings.Contains(last.Message, "no-such-agent") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
}

func TestWhatTheAgentLeavesRunningIsEndedAndNamed(t *testing.T) {
	t.Parallel()
	for name, stage := range map[string]func(*testing.T) *stage{"duplex": newDemo, "journaled": newMinimal} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			events := s.run("run", "--json", "child beat\nsay a").want(t, 0).events(t)
			var warned string
			for _, e := range find(events, "CUSTOM", "warning") {
				warned += string(e.Event.Value)
			}
			if !strings.Contains(warned, "left_running") || !strings.Contains(warned, "beat") {
				t.Errorf("warnings: %s", warned)
			}
			still(t, filepath.Join(s.root(), "beat"))
		})
	}
}

// TestAMillionLinesNeedNoMemory asks driver and plugins for the most that they
// had resident.
func TestAMillionLinesNeedNoMemory(t *testing.T) {
	t.Parallel()
	const lines, most = 1_000_000, 200 << 20
	s := newMinimal(t)
	running := s.start("run", "--run-id", "r", fmt.Sprintf("lines %d", lines))
	var peak atomic.Int64
	var who atomic.Value
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(250 * time.Millisecond) // the system keeps the peak
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				for _, p := range s.processes() {
					if n := peakMemory(p.pid); n > peak.Load() {
						peak.Store(n)
						who.Store(p.String())
					}
				}
			}
		}
	}()
	select {
	case <-running.done:
	case <-time.After(5 * time.Minute):
		t.Fatal("a million lines take more than 5 minutes")
	}
	close(stop)
	<-stopped
	r := running.ends().want(t, 0)
	if n := strings.Count(r.stdout, "\n"); n != lines {
		t.Errorf("got %d lines, want %d", n, lines)
	}
	t.Logf("peak: %d MiB, %v", peak.Load()>>20, who.Load())
	if peak.Load() > most {
		t.Errorf("peak of %d MiB, more than %d: %v", peak.Load()>>20, most>>20, who.Load())
	}
}

// peakMemory is the most that a process has had resident, in bytes; 0 if it is gone.
func peakMemory(pid int) int64 {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "\nVmHWM:")
	line, _, _ := strings.Cut(rest, " kB")
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}
