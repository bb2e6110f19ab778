package plugins

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

func TestAReportIsScrubbedAsAWhole(t *testing.T) {
	const value = "secret-0123"
	r := report{
		kind: Harness, typ: "echo", incident: plugin.Incident{Path: "/" + value, Panic: "panic: " + value, Last: "the last is " + value},
		scrub: func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(value), []byte("***")) },
	}
	if got := string(r.text()); strings.Contains(got, value) || strings.Count(got, "***") != 3 {
		t.Errorf("the report says\n%s", got)
	}
}
