package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) diffCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "diff RUN",
		Short: "Show what a run's agent changed, as a git patch",
		Long: "Show what an ended run's agent changed in the workspace, as a git patch that applies to\n" +
			"what was there when the agent began: new, changed, renamed and removed files, binary ones\n" +
			"and those that git doesn't track too; not what the workspace's .gitignore leaves out, nor\n" +
			"repositories nested in it. RUN is the run's id or an unambiguous start of it.",
		Example: "  sandlot diff 019ac5f2\n  sandlot diff 019ac5f2 | git apply",
		Args:    args(1, 1, "one argument, the run"),
		RunE: func(c *cobra.Command, ref []string) error {
			ctx := c.Context()
			st, _, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			defer st.Close()
			run, err := findRun(ctx, st, ref[0])
			if err != nil {
				return err
			}
			d, err := runs.OpenDiff(ctx, st, run)
			if err != nil {
				return err
			}
			defer d.Close()
			return a.showDiff(run, d)
		},
	}
}

func (a *app) showDiff(run store.Run, d *runs.Diff) error {
	if a.flags.json {
		return a.diffLine(run, d)
	}
	p := paint{a.color(a.world.Stderr)}
	for _, w := range d.Warnings {
		fmt.Fprintf(a.world.Stderr, "%s %s\n", p.yellow("!"), indented(w))
	}
	switch {
	case d.Patch == nil:
		why := ""
		if d.Note != "" {
			why = ": " + d.Note
		}
		fmt.Fprintf(a.world.Stderr, "run %s changed nothing%s\n", run.ID, why)
		return nil
	case isTerminal(a.world.Stdout):
		return a.paintPatch(d.Patch)
	}
	if _, err := io.Copy(a.world.Stdout, d.Patch); err != nil {
		return fmt.Errorf("write diff: %w", err)
	}
	return nil
}

// diffLine is the NDJSON line of a diff. A patch that isn't UTF-8 is
// percent-escaped, as in the event.
func (a *app) diffLine(run store.Run, d *runs.Diff) error {
	line := struct {
		Type     string   `json:"type"` // "diff"
		Run      string   `json:"run"`
		Files    int      `json:"files"`
		Added    int      `json:"added"`
		Removed  int      `json:"removed"`
		Escaped  bool     `json:"escaped,omitempty"`
		Diff     string   `json:"diff"`
		Warnings []string `json:"warnings,omitempty"`
	}{Type: "diff", Run: run.ID, Files: d.Files, Added: d.Added, Removed: d.Removed, Warnings: d.Warnings}
	if d.Patch != nil {
		patch, err := io.ReadAll(d.Patch)
		if err != nil {
			return fmt.Errorf("read diff: %w", err)
		}
		line.Diff, line.Escaped = runs.TextOf(patch)
	}
	return a.line(line)
}

// paintPatch shows a patch at a terminal: in colours if they are wanted, and
// without what could steer the terminal.
func (a *app) paintPatch(patch io.Reader) error {
	out, in, p := bufio.NewWriter(a.world.Stdout), bufio.NewReader(patch), paint{a.color(a.world.Stdout)}
	head := true // of a file, before its hunks
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			text := printable(string(bytes.TrimSuffix(line, []byte("\n"))))
			text = strings.ReplaceAll(text, "\r", "\u240d")
			switch {
			case strings.HasPrefix(text, "diff --git "):
				head = true
				text = p.bold(text)
			case strings.HasPrefix(text, "@@"):
				head = false
				text = p.cyan(text)
			case head:
				text = p.bold(text)
			case strings.HasPrefix(text, "+"):
				text = p.green(text)
			case strings.HasPrefix(text, "-"):
				text = p.red(text)
			}
			fmt.Fprintln(out, text)
		}
		if errors.Is(err, io.EOF) {
			if err := out.Flush(); err != nil {
				return fmt.Errorf("write diff: %w", err)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("read diff: %w", err)
		}
	}
}

// changes is a diff in a few words.
func changes(files, added, removed int) string {
	what := "1 file changed"
	if files != 1 {
		what = fmt.Sprintf("%d files changed", files)
	}
	return fmt.Sprintf("%s, +%d -%d", what, added, removed)
}
