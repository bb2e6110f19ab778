package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// protocol is the version of the --json output.
const protocol = 1

// begin writes the version line, which also a list without entries has.
func (a *app) begin() error {
	if a.wroteVersion {
		return nil
	}
	a.wroteVersion = true
	return a.line(a.versionLine())
}

// line writes one NDJSON line, after the version line. What an agent said in JSON is in
// it as it was said: characters of HTML aren't escaped.
func (a *app) line(v any) error {
	if err := a.begin(); err != nil {
		return err
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends with the newline that ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode output: %w", err)
	}
	if _, err := a.world.Stdout.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// lines writes a list, one line each.
func lines[E, L any](a *app, list []E, of func(E) L) error {
	if err := a.begin(); err != nil {
		return err
	}
	for _, e := range list {
		if err := a.line(of(e)); err != nil {
			return err
		}
	}
	return nil
}

type versionLine struct {
	Type     string `json:"type"` // "version"
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

type errorLine struct {
	Type    string `json:"type"` // "error"
	Message string `json:"message"`
	Code    int    `json:"code"` // the exit code
}

type eventLine struct {
	Type  string          `json:"type"` // "event"
	Run   string          `json:"run"`
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"time"`
	Event json.RawMessage `json:"event"`
}

func (a *app) eventLine(run string, e store.Event) error {
	return a.line(eventLine{"event", run, e.Seq, e.Time.UTC(), e.Payload})
}

type runLine struct {
	Type    string `json:"type"` // "run"
	Run     string `json:"run"`
	Thread  string `json:"thread"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

func runLineOf(r store.Run) runLine {
	return runLine{"run", r.ID, r.ThreadName, string(r.Status), r.Reason, r.Message}
}

func (a *app) runLine(r store.Run) error { return a.line(runLineOf(r)) }
