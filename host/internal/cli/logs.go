package cli

import (
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) logsCmd() *cobra.Command {
	var stderr, stdin bool
	c := &cobra.Command{
		Use:   "logs RUN",
		Short: "Show the raw bytes that a run's agent printed",
		Long: "Show the raw bytes that a run's agent printed on stdout, with --stderr those on stderr, or\n" +
			"with --stdin the prompt that it read. Of a run that has ended they come from the host's\n" +
			"copy, of a live one from its sandbox, as far as they are there. Secrets are scrubbed.\n" +
			"RUN is the run's id or an unambiguous start of it.",
		Example: "  sandlot logs 019ac5f2 | jq .\n  sandlot logs --stderr 019ac5f2",
		Args:    args(1, 1, "one argument, the run"),
		RunE: func(c *cobra.Command, ref []string) error {
			stream := runs.LogStdout
			switch {
			case stderr && stdin:
				return usagef("--stderr and --stdin exclude each other")
			case stderr:
				stream = runs.LogStderr
			case stdin:
				stream = runs.LogStdin
			}
			return a.logs(c.Context(), ref[0], stream)
		},
	}
	c.Flags().BoolVar(&stderr, "stderr", false, "what it printed on stderr")
	c.Flags().BoolVar(&stdin, "stdin", false, "what it read on stdin")
	return c
}

func (a *app) logs(ctx context.Context, ref string, stream runs.LogStream) error {
	st, home, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	run, err := findRun(ctx, st, ref)
	if err != nil {
		return err
	}
	if err := a.tidy(ctx, st, run, a.launcher(home, nil)); err != nil { // its journal may still have to be copied
		return err
	}
	engine, err := a.stderrEngine(st)
	if err != nil {
		return err
	}
	if a.flags.json {
		if err := a.begin(); err != nil {
			return err
		}
	}
	return engine.Logs(ctx, run, stream, a.logWriter(run, stream))
}

// logWriter is stdout for raw bytes: as they are, but for a terminal, which they
// must not command, and for --json, where they are told in base64.
func (a *app) logWriter(run store.Run, stream runs.LogStream) io.Writer {
	switch {
	case a.flags.json:
		return &logLines{app: a, run: run.ID, stream: stream}
	case isTerminal(a.world.Stdout):
		return &terminalWriter{to: a.world.Stdout}
	}
	return a.world.Stdout
}

type logLine struct {
	Type   string `json:"type"` // "log"
	Run    string `json:"run"`
	Stream string `json:"stream"` // "stdout", "stderr", "stdin"
	Offset int64  `json:"offset"` // of the first byte
	Data   []byte `json:"data"`   // base64
}

// logLines writes each piece as a line of JSON.
type logLines struct {
	app    *app
	run    string
	stream runs.LogStream
	offset int64
}

// Write implements io.Writer.
func (l *logLines) Write(data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	if err := l.app.line(logLine{"log", l.run, "std" + string(l.stream), l.offset, data}); err != nil {
		return 0, err
	}
	l.offset += int64(len(data))
	return len(data), nil
}

// terminalWriter shows control characters instead of obeying them. A character
// may come in two pieces.
type terminalWriter struct {
	to   io.Writer
	rest []byte
}

// Write implements io.Writer.
func (t *terminalWriter) Write(data []byte) (int, error) {
	all := append(t.rest, data...)
	end := len(all)
	for back := 1; back < utf8.UTFMax && back <= len(all); back++ {
		if i := len(all) - back; utf8.RuneStart(all[i]) {
			if !utf8.FullRune(all[i:]) {
				end = i
			}
			break
		}
	}
	if _, err := io.WriteString(t.to, printable(string(all[:end]))); err != nil {
		return 0, fmt.Errorf("write output: %w", err)
	}
	t.rest = append([]byte(nil), all[end:]...)
	return len(data), nil
}
