package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) approveCmd() *cobra.Command {
	return a.answerCmd("approve", "Allow what a run's agent asks for", store.Allow)
}

func (a *app) denyCmd() *cobra.Command {
	return a.answerCmd("deny", "Deny what a run's agent asks for", store.Deny)
}

// answerCmd is approve and deny, which differ in the answer only.
func (a *app) answerCmd(verb, short string, d store.Decision) *cobra.Command {
	scope := store.ScopeOnce
	c := &cobra.Command{
		Use:   verb + " RUN [ID]",
		Short: short,
		Long: short + ", from any terminal. The answer counts for this one request, or with --scope also for\n" +
			"all others of the same kind and target: of this run, or of this thread, also in its later runs.\n" +
			"The first answer wins, and no answer overrides the policy.\n\n" +
			"RUN is the run's id or an unambiguous start of it. ID is the request's, whole or without the\n" +
			"run's id before it; it isn't needed while one request waits. sandlot runs shows what waits.",
		Example: fmt.Sprintf("  sandlot %[1]s 019ac5f2\n  sandlot %[1]s 019ac5f2 6\n  sandlot %[1]s 019ac5f2 --scope thread", verb),
		Args:    args(1, 2, "the run, and the request if several wait"),
		RunE: func(c *cobra.Command, ref []string) error {
			id := ""
			if len(ref) == 2 {
				if id = ref[1]; id == "" {
					return usagef("the request's id is empty; leave it out to answer the only one that waits")
				}
			}
			if !slices.Contains([]string{store.ScopeOnce, store.ScopeRun, store.ScopeThread}, scope) {
				return usagef("--scope is once, run or thread, not %q", scope)
			}
			return a.answer(c.Context(), verb, ref[0], id, d, scope)
		},
	}
	c.Flags().StringVar(&scope, "scope", scope, "what the answer counts for: once, run or thread")
	return c
}

func (a *app) answer(ctx context.Context, verb, ref, id string, d store.Decision, scope string) error {
	st, home, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	run, err := findRun(ctx, st, ref)
	if err != nil {
		return err
	}
	undriven := !runs.Driven(run)
	got, err := runs.Answer(ctx, st, run, id, d, scope, person())
	// Also where there was nothing to answer: what the agent asks for is seen by
	// a driver, and without one nobody takes the answer.
	revived := a.reviveOne(ctx, st, home, run)
	if several, ok := errors.AsType[*runs.SeveralError](err); ok {
		return errors.Join(listed(several, verb), revived)
	}
	if err := errors.Join(err, revived); err != nil {
		return err
	}
	if undriven && !got.Already {
		if err := runs.AwaitTaken(ctx, st, got.Request); err != nil {
			return err
		}
	}
	if a.flags.json {
		return a.line(approvalLineOf(got))
	}
	_, err = fmt.Fprintln(a.world.Stdout, answered(got))
	return err
}

// reviveOne starts a driver for a live run that has none, and says so.
func (a *app) reviveOne(ctx context.Context, st *store.Store, home string, run store.Run) error {
	revived := runs.ReviveRun(ctx, st, run, a.world.env, a.launcher(home, nil))
	for _, r := range revived {
		if r.Err != nil {
			return fmt.Errorf("run %s has no driver, and none can be started: %w", r.Run, r.Err)
		}
	}
	a.sayRevived(revived)
	return nil
}

// listed is the error of an answer that several requests wait for.
func listed(e *runs.SeveralError, verb string) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%d requests of run %s wait; name the one that is meant:", len(e.Requests), e.Run)
	for _, r := range e.Requests {
		fmt.Fprintf(&out, "\nsandlot %s %s %s   %s: %s", verb, e.Run, shortID(e.Run, r.ID), r.Kind, oneLine(or(r.Target, r.Title), 80))
	}
	return errors.New(out.String())
}

// shortID is a request's id without that of its run, where that is how it is made.
func shortID(run, id string) string {
	if rest, ok := strings.CutPrefix(id, run+"-"); ok && rest != "" {
		return rest
	}
	return id
}

func answered(got runs.Answered) string {
	r := got.Request
	word := map[store.Decision]string{store.Allow: "allowed", store.Deny: "denied"}[r.Decision]
	about := fmt.Sprintf("%s: %s", r.Kind, oneLine(or(r.Target, r.Title), 120))
	if got.Already {
		return fmt.Sprintf("%s already%s, by %s at %s: %s", word, runs.ForWhat(r.Scope), oneLine(r.By, 60), r.At.Local().Format(time.TimeOnly), about)
	}
	return word + runs.ForWhat(r.Scope) + " " + about
}

type approvalLine struct {
	Type     string    `json:"type"` // "approval"
	Run      string    `json:"run"`
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Target   string    `json:"target"`
	Decision string    `json:"decision"` // "allow" or "deny"
	Scope    string    `json:"scope"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Already  bool      `json:"already"` // it had been answered so before
}

func approvalLineOf(got runs.Answered) approvalLine {
	r := got.Request
	return approvalLine{"approval", r.Run, r.ID, r.Kind, r.Target, string(r.Decision), r.Scope, r.By, r.At, got.Already}
}
