package plugin

import (
	"os"

	"github.com/hashicorp/go-hclog"
)

// LogLevel names the variable by which the host sets the level of a plugin's
// log; the default is debug, since the host filters again.
const LogLevel = "SANDLOT_PLUGIN_LOG"

// NewLog makes a plugin's log: JSON lines on the stderr of the process as it is
// now. Serving replaces os.Stderr, so it is made before.
func NewLog() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Level: level(), Output: os.Stderr, JSONFormat: true})
}

// newQuietLog is for go-plugin's own words: only what went wrong, unless all is to be
// told. It is no child of the plugin's log, since children share their parent's level.
func newQuietLog() hclog.Logger {
	quiet := hclog.Warn
	if level() == hclog.Trace {
		quiet = hclog.Trace
	}
	return hclog.New(&hclog.LoggerOptions{Name: "go-plugin", Level: quiet, Output: os.Stderr, JSONFormat: true})
}

func level() hclog.Level {
	if l := hclog.LevelFromString(os.Getenv(LogLevel)); l != hclog.NoLevel {
		return l
	}
	return hclog.Debug
}
