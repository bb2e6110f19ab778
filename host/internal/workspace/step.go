package workspace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// StepError says which setup command failed, and how.
type StepError struct {
	Step, Steps int    // from 1; of how many
	Command     string // as it stands in the configuration
	Code        int    // exit code; -1 where there is none
	How         string // "failed with exit code 1", "took longer than 30m0s", ...
	Attempts    int    // how often it was tried
	Tail        string // the last lines of its output, scrubbed; may be empty
}

func (e *StepError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "setup step %d of %d %s", e.Step, e.Steps, e.How)
	switch {
	case e.Attempts == 2:
		b.WriteString(", as did the attempt before")
	case e.Attempts > 2:
		fmt.Fprintf(&b, ", as did the %d attempts before", e.Attempts-1)
	}
	fmt.Fprintf(&b, ": %s", e.Command)
	if e.Tail == "" {
		b.WriteString("\nit printed nothing")
	} else {
		b.WriteString("\nits last lines:\n" + e.Tail)
	}
	return b.String()
}

// runner runs the commands of one block.
type runner struct {
	*setup
	block config.Setup
	once  bool   // a shell takes one command: the provider takes no input later than at its start
	sh    *shell // nil: none runs
	state *state // after the last command that succeeded; nil: it couldn't be told
}

// step runs a command until it succeeds, or has failed too often.
func (r *runner) step(ctx context.Context, step int, command string) error {
	pause := retryFirst
	for attempt := 1; ; attempt++ {
		r.out.begin(step)
		failed, err := r.attempt(ctx, command)
		tail := r.out.end()
		if err != nil || failed == nil {
			return err
		}
		failed.Step, failed.Steps, failed.Command, failed.Attempts, failed.Tail = step, r.steps, command, attempt, tail
		if attempt > r.block.Retries || r.state == nil {
			return failed
		}
		r.progress(fmt.Sprintf("%d/%d %s; trying again in %s, %d of %d", step, r.steps, failed.How, pause, attempt, r.block.Retries))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, retryMost)
		if r.sh != nil {
			r.sh.in.feed(stateText(*r.state))
		}
	}
}

// attempt runs a command once. A failure of the command's own is no error.
func (r *runner) attempt(ctx context.Context, command string) (*StepError, error) {
	fresh := r.sh == nil
	if fresh && r.state == nil {
		return nil, sandbox.Errorf(sandbox.Internal, "start another shell for the next step: "+
			"what the one before left can't be told, since something still printed while the shell told it; don't end the shell, or leave nothing running")
	}
	if fresh {
		r.sh = r.next()
		r.sh.in.feed(stateText(*r.state))
	}
	sh, word := r.sh, newWord()
	reported, errored := sh.out.expect(word), sh.err.expect(word)
	sh.in.feed(stepText(command, word))
	if r.once {
		sh.in.close()
	}
	if fresh {
		if err := sh.start(ctx, r.env); err != nil {
			r.sh = nil
			return nil, err
		}
	}
	timer := time.NewTimer(r.block.Timeout)
	defer timer.Stop()
	select {
	case done := <-reported:
		select { // its last words on stderr may be behind
		case <-errored:
		case <-sh.ended:
		case <-time.After(endTimeout):
		}
		if r.once {
			r.sh = nil
			if err := r.leave(sh.end(ctx)); err != nil {
				return nil, err
			}
		}
		return r.reported(done), nil
	case <-sh.ended:
		r.sh = nil
		select { // it may have done both
		case done := <-reported:
			return r.reported(done), nil
		default:
			return r.left(ctx, sh)
		}
	case <-timer.C:
		r.sh = nil
		return &StepError{Code: -1, How: fmt.Sprintf("took longer than %s", r.block.Timeout)}, sh.kill(ctx, stopGrace)
	case <-ctx.Done():
		return nil, context.Cause(ctx) // close kills it
	}
}

func (r *runner) reported(done report) *StepError {
	if done.code != 0 {
		return &StepError{Code: done.code, How: fmt.Sprintf("failed with exit code %d", done.code)}
	}
	r.state = done.state
	return nil
}

// left tells what it means that a command has ended its shell.
func (r *runner) left(ctx context.Context, sh *shell) (*StepError, error) {
	if err := sh.proc.Close(); err != nil && sh.lost == nil {
		return nil, fmt.Errorf("end the shell: %w", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	switch e := sh.exit; {
	case sh.lost != nil:
		return nil, fmt.Errorf("wait for a setup step: %w", sh.lost)
	case e.OOM:
		how := "was killed for want of memory"
		if e.Message != "" {
			how += ": " + e.Message
		}
		return &StepError{Code: -1, How: how}, nil
	case e.Reason == sandbox.ReasonSignaled || e.Signal != 0:
		return &StepError{Code: -1, How: fmt.Sprintf("was killed by signal %d", e.Signal)}, nil
	case e.Reason != sandbox.ReasonExited:
		return nil, sandbox.Errorf(sandbox.Unavailable, "wait for a setup step: nobody saw how it ended: %s", e.Message)
	case e.Code != 0:
		how := fmt.Sprintf("failed with exit code %d", e.Code)
		if e.Message != "" {
			how += " (" + e.Message + ")"
		}
		return &StepError{Code: e.Code, How: how}, nil
	}
	r.progress("the command ended its shell, by exit or exec; the next one starts in a new shell, where the one before began")
	return nil, nil //nolint:nilnil // it succeeded
}

// close ends the block's shell.
func (r *runner) close(ctx context.Context, cause error) error {
	if r.sh == nil {
		return nil
	}
	if cause != nil {
		return r.sh.kill(ctx, cancelGrace)
	}
	return r.leave(r.sh.end(ctx))
}

// leave tells what was ended with a shell.
func (r *runner) leave(left string, err error) error {
	if left != "" {
		r.progress("ended with the shell, since the commands had left it running: " + left)
	}
	return err
}

func firstLine(command string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(command), "\n")
	if more != "" {
		line += " …"
	}
	return line
}
