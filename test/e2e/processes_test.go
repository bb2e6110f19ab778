//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// process is one that runs in a stage's world.
type process struct {
	pid  int
	args []string
}

func (p process) String() string { return fmt.Sprintf("%d %q", p.pid, p.args) }

// processes are all that carry the stage's state folder in their environment:
// hosts, drivers, plugins, agents and what agents started. Corpses don't count.
func (s *stage) processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		s.t.Fatal(err)
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(env, []byte("SANDLOT_HOME="+s.home+"\x00")) && !bytes.Contains(env, []byte(s.home+"/sandboxes/")) {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || len(cmdline) == 0 {
			continue
		}
		found = append(found, process{pid, strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00")})
	}
	return found
}

// tree are the processes of agents: those that a provider marked.
func (s *stage) tree() []process {
	var found []process
	for _, p := range s.processes() {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00SANDLOT_PROC=")) {
			found = append(found, p)
		}
	}
	return found
}

// agents are those of tree that an agent is or started, without what the host runs
// in the sandbox itself, as it does for the diff of a run that has just ended.
func (s *stage) agents() []process {
	return slices.DeleteFunc(s.tree(), func(p process) bool {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
		return err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00SANDLOT_PROC=agent-"))
	})
}

// named are the processes whose command line holds the text.
func (s *stage) named(text string) []process {
	var found []process
	for _, p := range s.processes() {
		if strings.Contains(strings.Join(p.args, " "), text) {
			found = append(found, p)
		}
	}
	return found
}

// nothingLeft fails the test if a process of its world outlives it, and ends
// what does.
func (s *stage) nothingLeft() {
	deadline := time.Now().Add(10 * time.Second)
	var left []process
	for {
		left = s.processes()
		if len(left) == 0 || time.Now().After(deadline) {
			break
		}
		until20ms()
	}
	for _, p := range left {
		s.t.Errorf("left running: %s", p)
		if proc, err := os.FindProcess(p.pid); err == nil {
			_ = proc.Kill()
		}
	}
	logs, _ := filepath.Glob(filepath.Join(s.home, "runs", "*", "driver.log"))
	for _, l := range logs {
		if data, err := os.ReadFile(l); err == nil && len(data) > 0 {
			if bytes.Contains(data, []byte("DATA RACE")) {
				s.t.Error("a data race")
			}
			if s.t.Failed() {
				s.t.Logf("%s:\n%s", l, clip(string(data)))
			}
		}
	}
}

// until20ms lets other processes run for one poll.
func until20ms() { <-time.After(20 * time.Millisecond) }
