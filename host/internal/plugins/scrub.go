package plugins

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// shortest is the length of a value that is worth scrubbing: shorter ones would
// take words out of a text that have nothing to do with them.
const shortest = 8

// scrubber takes out of a text what a plugin was given as its credentials by
// the environment, after what more takes out; more may be nil.
func (p *Plugins) scrubber(environ []string, more func([]byte) []byte) func([]byte) []byte {
	var values []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) >= shortest && credential(name) {
			values = append(values, value)
		}
	}
	hide := sync.OnceValue(func() func([]byte) []byte { // few plugins crash
		if p.opts.Hide == nil {
			return plainly(values)
		}
		return p.opts.Hide(values)
	})
	return func(text []byte) []byte {
		if more != nil {
			text = more(text)
		}
		return hide()(text)
	}
}

func plainly(values []string) func([]byte) []byte {
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	return func(text []byte) []byte {
		for _, value := range values {
			text = bytes.ReplaceAll(text, []byte(value), []byte("***"))
		}
		return text
	}
}

// credential reports whether a variable of this name is likely to hold one.
func credential(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
