package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) approvalsCmd() *cobra.Command {
	var withdraw string
	c := &cobra.Command{
		Use:   "approvals",
		Short: "List the answers that count for later requests too, or take one back",
		Long: "List the answers that were given for a thread or for a run that goes on: requests\n" +
			"like theirs are answered without asking. With --withdraw, take one back: such requests are asked\n" +
			"about again. What was answered by it before stays.\n\n" +
			"Who gave and who withdrew an answer, and when, is kept in the store.",
		Example: "  sandlot approvals\n  sandlot approvals --withdraw 019ac5f2\n  sandlot approvals --json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			st, _, err := a.openStore(c.Context())
			if err != nil {
				return err
			}
			defer st.Close()
			list, err := st.Standings(c.Context())
			switch {
			case err != nil:
				return err
			case c.Flags().Changed("withdraw"):
				return a.withdraw(c.Context(), st, list, withdraw)
			case a.flags.json:
				return lines(a, list, standingLineOf)
			}
			return a.standingTable(list)
		},
	}
	c.Flags().StringVar(&withdraw, "withdraw", "", "take back the answer with this `ID`, or start of an id")
	return c
}

func (a *app) standingTable(list []store.StandingAnswer) error {
	if len(list) == 0 {
		fmt.Fprintln(a.world.Stderr, "no answer counts for more than its request; one that does is given with: sandlot approve RUN --scope thread")
		return nil
	}
	p := paint{a.color(a.world.Stdout)}
	var t table
	t.add("ID", "ANSWER", "FOR", "BY", "AGE", "KIND", "TARGET")
	for _, s := range list {
		answer := cell{text: string(s.Decision), paint: p.green}
		if s.Decision == store.Deny {
			answer.paint = p.red
		}
		t.row(cell{text: standingID(s)}, answer, cell{text: countsFor(s)}, cell{text: oneLine(s.By, 30)},
			cell{text: ago(s.At, time.Now())}, cell{text: oneLine(s.Kind, 40)}, cell{text: oneLine(s.Target, 200)})
	}
	return t.write(a.world.Stdout)
}

// standingID names an answer among those of all runs.
func standingID(s store.StandingAnswer) string {
	return s.Run + "-" + shortID(s.Run, s.ID)
}

// countsFor is what an answer counts for, in words.
func countsFor(s store.StandingAnswer) string {
	if s.Scope == store.ScopeRun {
		return "run " + s.Run
	}
	return "thread " + s.Thread
}

// withdraw takes one of the answers back.
func (a *app) withdraw(ctx context.Context, st *store.Store, list []store.StandingAnswer, ref string) error {
	var found []store.StandingAnswer
	for _, s := range list {
		id := standingID(s)
		if id == ref {
			found = []store.StandingAnswer{s}
			break
		}
		if strings.HasPrefix(id, ref) {
			found = append(found, s)
		}
	}
	switch {
	case ref == "":
		return usagef("the id after --withdraw is empty; sandlot approvals lists the answers with their ids")
	case len(found) == 0:
		return fmt.Errorf("no answer stands with the id %q or a start of it; see sandlot approvals", ref)
	case len(found) > 1:
		return fmt.Errorf("%q is the start of %d answers' ids; name one of them whole: %s and %s", ref, len(found), standingID(found[0]), standingID(found[1]))
	}
	s, by := found[0], person()
	err := st.Withdraw(ctx, s.Run, s.ID, by)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("somebody else has withdrawn the answer %s just now: %w", standingID(s), err)
	}
	if err != nil {
		return err
	}
	if a.flags.json {
		l := standingLineOf(s)
		l.WithdrawnBy = by
		return a.line(l)
	}
	_, err = fmt.Fprintf(a.world.Stdout, "withdrawn: %s for %s, %s: %s\n", s.Decision, countsFor(s), oneLine(s.Kind, 40), oneLine(s.Target, 120))
	return err
}

type standingLine struct {
	Type     string    `json:"type"` // "standing"
	ID       string    `json:"id"`
	Run      string    `json:"run"` // that asked
	Thread   string    `json:"thread"`
	Project  string    `json:"project"`
	Kind     string    `json:"kind"`
	Target   string    `json:"target"`
	Decision string    `json:"decision"` // "allow" or "deny"
	Scope    string    `json:"scope"`    // "run" or "thread"
	By       string    `json:"by"`
	At       time.Time `json:"at"`

	WithdrawnBy string `json:"withdrawn_by,omitempty"` // it counts no more
}

func standingLineOf(s store.StandingAnswer) standingLine {
	return standingLine{
		Type: "standing", ID: standingID(s), Run: s.Run, Thread: s.Thread, Project: s.Project, Kind: s.Kind, Target: s.Target,
		Decision: string(s.Decision), Scope: s.Scope, By: s.By, At: s.At,
	}
}
