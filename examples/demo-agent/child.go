package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

const (
	heartbeatVerb  = "heartbeat" // hidden: how the program starts itself as a child
	heartbeatEvery = 50 * time.Millisecond
	heartbeatLife  = 10 * time.Minute // so that a test that loses a child doesn't lose it for ever
)

// child leaves a process in a session of its own behind, as a dev server started
// by a real agent would be. It appends a line to a file for as long as it lives.
func (t *turn) child(name string, ignoreTerm bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	args := []string{heartbeatVerb, t.path(name)}
	if ignoreTerm {
		args = append(args, "ignore-term")
	}
	// It must outlive the turn, so it isn't bound to the turn's context.
	cmd := exec.CommandContext(context.Background(), self, args...)
	cmd.Dir = t.cwd
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start child: %w", err)
	}
	go func() { _ = cmd.Wait() }() // reaped if it dies first
	t.say(fmt.Sprintf("child %d writes heartbeats to %s", cmd.Process.Pid, name))
	return nil
}

// heartbeat is the child's whole life.
func heartbeat(args []string) {
	if len(args) > 1 {
		signal.Ignore(syscall.SIGTERM)
	}
	ticks := time.NewTicker(heartbeatEvery)
	for end := time.Now().Add(heartbeatLife); time.Now().Before(end); <-ticks.C {
		file, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return
		}
		_, err = fmt.Fprintln(file, os.Getpid())
		if file.Close() != nil || err != nil {
			return
		}
	}
}
