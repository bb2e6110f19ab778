package plugins

import (
	"strings"
	"testing"
)

func TestCredentialsOfTheEnvironmentAreTakenOut(t *testing.T) {
	environ := []string{"CLOUD_TOKEN=sesame-open", "CLOUD_KEY=short", "HOME=/home/someone"}
	p := New(Options{})
	if got := string(p.scrubber(environ, nil)([]byte("sesame-open, short, /home/someone"))); got != "***, short, /home/someone" {
		t.Errorf("got %q", got)
	}
	p = New(Options{Hide: func(values []string) func([]byte) []byte {
		return func(text []byte) []byte { return []byte(strings.Join(values, "+") + " in " + string(text)) }
	}})
	more := func(text []byte) []byte { return append(text, '!') }
	if got := string(p.scrubber(environ, more)([]byte("x"))); got != "sesame-open in x!" {
		t.Errorf("got %q", got)
	}
}
