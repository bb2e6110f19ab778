package cli

import (
	"log/slog"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

// logLevels are the values of --log-level, the most verbose first.
func logLevels() []string { return []string{"trace", "debug", "info", "warn", "error"} }

func (a *app) level() (slog.Level, error) {
	if strings.EqualFold(a.flags.logLevel, "trace") {
		return plugins.LevelTrace, nil
	}
	var l slog.Level
	if err := l.UnmarshalText([]byte(a.flags.logLevel)); err != nil {
		return 0, usagef("--log-level is trace, debug, info, warn or error, not %q", a.flags.logLevel)
	}
	return l, nil
}

// log is what goes to stderr, through the mask.
func (a *app) log() (*slog.Logger, error) {
	level, err := a.level()
	if err != nil {
		return nil, err
	}
	return slog.New(slog.NewTextHandler(a.mask, &slog.HandlerOptions{Level: level, ReplaceAttr: named})), nil
}

// named gives the level below debug its name.
func named(groups []string, attr slog.Attr) slog.Attr {
	if level, ok := attr.Value.Any().(slog.Level); ok && len(groups) == 0 && attr.Key == slog.LevelKey && level == plugins.LevelTrace {
		return slog.String(slog.LevelKey, "TRACE")
	}
	return attr
}
