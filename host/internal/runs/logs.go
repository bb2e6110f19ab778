package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// LogStream is one of the byte streams that a journal holds.
type LogStream string

// The streams, named as the journal's files are.
const (
	LogStdout LogStream = "out"
	LogStderr LogStream = "err"
	LogStdin  LogStream = "in" // the prompt of an agent that read it there
)

func (s LogStream) words() string {
	return map[LogStream]string{LogStdout: "output", LogStderr: "stderr", LogStdin: "input"}[s]
}

// Logs writes one stream of a run's journal to w: of a run that has ended from
// the host's copy, else what is there by now from the sandbox, scrubbed. Memory
// stays flat. What there is none of is an error that says why.
func (e *Engine) Logs(ctx context.Context, run store.Run, stream LogStream, w io.Writer) error {
	folder := journalFolder(e.Store, run.ID)
	if !journal.HasCopy(folder) {
		told := &counter{to: w}
		err := e.liveLogs(ctx, run, stream, told)
		if err == nil || told.n > 0 || !journal.HasCopy(folder) { // else it was archived under us
			return err
		}
	}
	in, err := journal.OpenCopied(folder, string(stream))
	if errors.Is(err, fs.ErrNotExist) {
		return noLog(folder, run, stream)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := io.Copy(w, in); err != nil {
		return fmt.Errorf("read copy of journal: %w", err)
	}
	return nil
}

// counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

// Write implements io.Writer.
func (c *counter) Write(data []byte) (int, error) {
	n, err := c.to.Write(data)
	c.n += int64(n)
	return n, err
}

// noLog says why a copy lacks a stream.
func noLog(folder string, run store.Run, stream LogStream) error {
	c, err := journal.ReadCopied(folder)
	if err != nil {
		return err
	}
	why := c.Files[string(stream)].Note
	switch {
	case why != "":
	case c.Note != "":
		why = c.Note
	case stream == LogStdin && len(run.Launch) > 0:
		why = "this agent isn't given its prompt as a file, and what it is told while it runs isn't kept"
	default:
		why = "its agent was never started"
	}
	return fmt.Errorf("run %s has no %s: %s", run.ID, stream.words(), why)
}

// liveLogs reads the journal where it is.
func (e *Engine) liveLogs(ctx context.Context, run store.Run, stream LogStream, w io.Writer) error {
	record, err := decodeRecord(run.Spec)
	if err != nil {
		return err
	}
	if run.Sandbox == "" {
		return fmt.Errorf("run %s has no %s: it has no sandbox", run.ID, stream.words())
	}
	row, err := e.Store.Sandbox(ctx, run.Sandbox)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ID == "" {
		return fmt.Errorf("run %s has no %s: its sandbox isn't there, and no copy of its journal was made", run.ID, stream.words())
	}
	if err != nil {
		return fmt.Errorf("look up sandbox: %w", err)
	}
	set, missing, err := e.resolveSome(ctx, record.Spec)
	if err != nil {
		return err
	}
	if scrubbed(record.Spec, missing) {
		return fmt.Errorf("%w, so that what the agent prints can be scrubbed of it", missing)
	}
	prov, err := e.Provider(ctx, record.Spec)
	if err != nil {
		return err
	}
	defer prov.Close()
	sb, err := prov.Resume(ctx, sandbox.ResumeRequest{ID: row.ID})
	if err != nil {
		return fmt.Errorf("resume sandbox %s: %w", row.ID, err)
	}
	j, err := journalIn(sb, run.ID)
	if err != nil {
		return err
	}
	if err := j.Write(ctx, string(stream), set.Redactor().Lines(), w); err != nil {
		return fmt.Errorf("read %s of run %s: %w", stream.words(), run.ID, err)
	}
	return nil
}
