package agui

import (
	"fmt"
)

// Names of CUSTOM events that both sides know.
const (
	CustomWarning = "warning" // value Warning
	CustomPlan    = "plan"    // value {"entries": [...]}, the agent's own entries

	// CustomFileChanged comes at a run's end: value {"path": ".", "files", "added",
	// "removed", "escaped", "diff"}, of the whole workspace.
	CustomFileChanged = "file.changed"

	// CustomStructuredOutput is the output that fits the schema: value {"object",
	// "raw"}, raw being the text that the agent made it of.
	CustomStructuredOutput = "structured-output.complete"
)

// Warning is the value of a CUSTOM event named "warning".
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// NewCustom makes a CUSTOM event of a value that JSON can hold. JSON in it stays as it
// is, but for white space.
func NewCustom(name string, value any) (Custom, error) {
	data, err := encode(value)
	if err != nil {
		return Custom{}, fmt.Errorf("encode value of custom event %s: %w", name, err)
	}
	return Custom{Name: name, Value: data}, nil
}

// NewWarning makes a CUSTOM event named "warning".
func NewWarning(code, text string) Custom {
	data, err := encode(Warning{Code: code, Text: text})
	if err != nil { // two strings always encode
		panic(err)
	}
	return Custom{Name: CustomWarning, Value: data}
}
