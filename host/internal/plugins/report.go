package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

const (
	// reportsKept is how many crash reports are kept, the newest.
	reportsKept = 20
	// maxSection bounds each of a report's texts; the panic's head and the end of
	// stderr are shorter already, but for what a foreign plugin sends.
	maxSection = 32 << 10
)

// reportSuffix ends the name of a report.
const reportSuffix = ".txt"

// report is what a crash report holds beside the incident.
type report struct {
	incident plugin.Incident
	kind     Kind
	typ      string
	sha256   string
	run      string
	config   json.RawMessage // of the block; only its shape is told
	scrub    func([]byte) []byte
	at       time.Time
}

// write writes the report into a folder and returns its path; empty if that
// can't be done: a crash is told of all the same.
func (r report) write(folder string) string {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return ""
	}
	name := r.at.UTC().Format("20060102T150405.000Z") + "-" + r.typ
	for n := 1; n < 100; n++ { // several may crash in one moment
		path := filepath.Join(folder, name+reportSuffix)
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s-%d%s", name, n, reportSuffix))
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return ""
		}
		_, err = f.Write(r.text())
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path) // half a report would mislead
			return ""
		}
		prune(folder)
		return path
	}
	return ""
}

// prune removes all but the newest reports.
func prune(folder string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), reportSuffix)
	})
	for i := range max(0, len(list)-reportsKept) { // sorted by name, and so by time
		_ = os.Remove(filepath.Join(folder, list[i].Name())) // another process may have done so
	}
}

func (r report) text() []byte {
	i := r.incident
	var b bytes.Buffer
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name+":", strings.Join(strings.Fields(value), " "))
		}
	}
	b.WriteString("A plugin of Sandlot crashed.\n\n")
	line("time", r.at.UTC().Format(time.RFC3339))
	line("plugin", strings.TrimSpace(fmt.Sprintf("%s %q %s", r.kind, r.typ, i.About.Version)))
	if i.About.SDK != "" {
		line("sdk", fmt.Sprintf("%s, protocol %d", i.About.SDK, plugin.ProtocolMajor))
	}
	line("program", i.Path)
	line("sha256", r.sha256)
	line("process", i.PID)
	line("end", i.How)
	line("calls", strings.Join(i.Calls, ", "))
	line("block", i.Block)
	line("run", r.run)
	line("report to", i.About.Issues)
	section := func(title, text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		if len(text) > maxSection {
			text = strings.ToValidUTF8(text[:maxSection], "") + "\n[shortened]"
		}
		fmt.Fprintf(&b, "\n%s\n\n%s\n", title, text)
	}
	section("The panic:", i.Panic)
	section("The last that it wrote to stderr:", i.Last)
	section("The configuration block, its texts masked:", masked(r.config))
	out := b.Bytes()
	if r.scrub != nil {
		out = r.scrub(out)
	}
	return out
}

// masked is the shape of a configuration: any text in it may be private, so none
// is shown.
func masked(config json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.UseNumber()
	var value any
	if len(config) == 0 || dec.Decode(&value) != nil {
		return ""
	}
	out, err := json.MarshalIndent(maskTexts(value), "", "  ")
	if err != nil {
		return ""
	}
	return string(out)
}

func maskTexts(v any) any {
	switch v := v.(type) {
	case string:
		if v == "" {
			return v
		}
		return "***"
	case []any:
		for i := range v {
			v[i] = maskTexts(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = maskTexts(v[name])
		}
	}
	return v
}
