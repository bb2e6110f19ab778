package plugins

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// relevel turns a plugin's stderr into records of the host's log. A line of the
// SDK's log keeps its level and its fields; any other is somebody's print, or a
// panic and what follows it. Of a crash one line is told, and a report has the
// rest: what Go's runtime writes of it is for who debugs.
func relevel(log *slog.Logger, typ, run string) func(line []byte) {
	log = log.With("plugin", typ)
	if run != "" {
		log = log.With("run", run)
	}
	panicking := false
	return func(line []byte) {
		if level, msg, attrs, ok := parseLine(line); ok {
			log.LogAttrs(context.Background(), level, msg, attrs...)
			return
		}
		text := strings.ToValidUTF8(string(line), "\uFFFD")
		if text == "" {
			return
		}
		panicking = panicking || plugin.BeginsCrash(line)
		level := slog.LevelInfo
		if panicking {
			level = slog.LevelDebug
		}
		log.Log(context.Background(), level, text)
	}
}

// logCalls tells of each call when it has ended, at debug level: how it was
// called, how long it took, the class of its error. Never what it carried.
func logCalls(log *slog.Logger, typ, run string) func(plugin.Call) {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	log = log.With("plugin", typ)
	if run != "" {
		log = log.With("run", run)
	}
	return func(c plugin.Call) {
		attrs := []slog.Attr{slog.String("call", c.Method), slog.Duration("took", c.Took)}
		if c.Class != "" {
			attrs = append(attrs, slog.String("class", string(c.Class)))
		}
		log.LogAttrs(context.Background(), slog.LevelDebug, "call", attrs...)
	}
}

// LevelTrace is below debug; slog has no name for it. Where the log is enabled at it,
// plugins write theirs at it too, go-plugin's own words included.
const LevelTrace = slog.LevelDebug - 4

// tracing is the environment of a plugin whose log is to tell everything.
func tracing(log *slog.Logger, env []string) []string {
	if log == nil || !log.Enabled(context.Background(), LevelTrace) {
		return env
	}
	own := plugin.LogLevel + "="
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, own) })
	return append(env, own+"trace")
}

// parseLine reads a line of an hclog logger in JSON.
func parseLine(line []byte) (level slog.Level, msg string, attrs []slog.Attr, ok bool) {
	if len(line) == 0 || line[0] != '{' {
		return 0, "", nil, false
	}
	var fields map[string]any
	if json.Unmarshal(line, &fields) != nil {
		return 0, "", nil, false
	}
	msg, ok = fields["@message"].(string)
	if !ok {
		return 0, "", nil, false
	}
	switch fields["@level"] {
	case "trace":
		level = LevelTrace
	case "debug":
		level = slog.LevelDebug
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	}
	if module, ok := fields["@module"].(string); ok && module != "" {
		attrs = append(attrs, slog.String("module", module))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !strings.HasPrefix(name, "@") {
			attrs = append(attrs, slog.Any(name, fields[name]))
		}
	}
	return level, msg, attrs, true
}
