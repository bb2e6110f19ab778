package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// orphanGrace is how long output is still read after a command ended, if
// something it left behind holds its pipes.
const orphanGrace = time.Second

// run executes a command with sh in the session's folder, in a session (setsid)
// of its own as the real CLIs do, and streams what it prints.
func (t *turn) run(ctx context.Context, ask bool, command string) error {
	call := newCall("execute", command, map[string]any{"command": command, "cwd": t.cwd})
	if ok, err := t.permit(ctx, ask, "execute: "+command, call); !ok {
		return err
	}
	printed := newTail(func(s string) { t.change(call.ID, toolCall{Status: "in_progress", Content: output(s)}) })

	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = t.cwd
	cmd.Stdout, cmd.Stderr = printed, printed
	cmd.WaitDelay = orphanGrace
	ownSession(cmd)
	cmd.Cancel = func() error { return killSession(cmd) }
	err := cmd.Run()
	printed.close()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	t.report(ctx, call, cmd, printed, err)
	return nil
}

// report closes the call with what became of the command.
func (t *turn) report(ctx context.Context, call toolCall, cmd *exec.Cmd, printed *tail, err error) {
	shown := printed.text()
	raw := map[string]any{"output": shown, "truncated": printed.truncated()}
	status := "failed"
	var end string
	switch {
	case ctx.Err() != nil:
		end = "was stopped"
	case cmd.ProcessState == nil:
		end = "could not start: " + err.Error()
	case cmd.ProcessState.Exited():
		code := cmd.ProcessState.ExitCode()
		raw["exitCode"] = code
		end = fmt.Sprintf("ended with exit code %d", code)
		if code == 0 {
			status = "completed"
		}
	default:
		// "signal: killed" and the like; Windows has none.
		end = "was ended by a " + cmd.ProcessState.String()
	}
	if shown == "" {
		shown = "(no output)\n"
	}
	t.change(call.ID, toolCall{Status: status, Content: output(shown), RawOutput: raw})
	title, _, _ := strings.Cut(call.Title, "\n")
	t.say("`" + title + "` " + end)
}
