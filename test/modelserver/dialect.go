package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// dialect is one model API.
type dialect interface {
	path() string                              // where conversations are posted
	results(body []byte) ([]Result, error)     // of the tools, that a request carries
	answer(id, model string, u Usage) answer   // a new answer, streamed
	failure(Failure) any                       // the body of an error
	whole(id, model, text string, u Usage) any // a short answer that isn't streamed
}

// answer writes one streamed answer: each method gives the frames of a part.
type answer interface {
	text(delta string) []frame
	thought(delta string) []frame
	call(c Call, arguments string) []frame
	end() []frame
}

// Result is what a tool gave back to the model.
type Result struct{ Call, Text string }

// dialects are all that is spoken.
func dialects() []dialect { return []dialect{chat{}, responses{}, messages{}} }

// frame is one server-sent event. A raw frame is sent as it is.
type frame struct {
	event string // empty: none is named
	data  any
	raw   string
}

func (f frame) write(w http.ResponseWriter) error {
	data := f.raw
	if data == "" {
		encoded, err := json.Marshal(f.data)
		if err != nil {
			return fmt.Errorf("encode frame: %w", err)
		}
		data = string(encoded)
	}
	text := "data: " + data + "\n\n"
	if f.event != "" {
		text = "event: " + f.event + "\n" + text
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// pieces cuts the arguments of a call as a model streams them: a few bytes each,
// never inside a character.
func pieces(arguments string) []string {
	const size = 24
	var out []string
	for len(arguments) > size {
		n := size
		for !utf8.RuneStart(arguments[n]) {
			n--
		}
		out = append(out, arguments[:n])
		arguments = arguments[n:]
	}
	return append(out, arguments)
}

// words is the text of a message's content, which is a string or a list of
// blocks that have one.
func words(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(content, &blocks) // content of another kind has no text
	var all []string
	for _, b := range blocks {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}
