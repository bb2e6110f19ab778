package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Event is one AG-UI event. The concrete types are the structs of this
// package; there are no others.
type Event interface {
	// EventType is the protocol's name, e.g. "TEXT_MESSAGE_CONTENT".
	EventType() string
}

// The event types.
const (
	TypeRunStarted              = "RUN_STARTED"
	TypeRunFinished             = "RUN_FINISHED"
	TypeRunError                = "RUN_ERROR"
	TypeTextMessageStart        = "TEXT_MESSAGE_START"
	TypeTextMessageContent      = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          = "TEXT_MESSAGE_END"
	TypeReasoningStart          = "REASONING_START"
	TypeReasoningMessageStart   = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     = "REASONING_MESSAGE_END"
	TypeReasoningEnd            = "REASONING_END"
	TypeToolCallStart           = "TOOL_CALL_START"
	TypeToolCallArgs            = "TOOL_CALL_ARGS"
	TypeToolCallEnd             = "TOOL_CALL_END"
	TypeToolCallResult          = "TOOL_CALL_RESULT"
	TypeCustom                  = "CUSTOM"
	TypeRaw                     = "RAW"
)

// Marshal encodes an event with its "type" member first. Characters that mean
// something in HTML stay as they are: escaped, they would take six bytes each.
func Marshal(e Event) ([]byte, error) {
	if out, ok := appendFast(make([]byte, 0, 256), e); ok {
		return bytes.Clone(out), nil
	}
	return marshal(e)
}

func marshal(e Event) ([]byte, error) {
	head := []byte(`{"type":"` + e.EventType() + `",`)
	data, err := encode(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.EventType(), err)
	}
	// The brace that opens the event's own object goes; every event has members.
	return append(head, data[1:]...), nil
}

// encode is json.Marshal that leaves characters of HTML alone.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Unmarshal decodes one event. A type this package doesn't know comes back as
// a Raw event that holds the whole text, so that a newer writer loses nothing.
func Unmarshal(data []byte) (Event, error) {
	if e, ok := readFast(data); ok {
		return e, nil
	}
	return unmarshal(data)
}

func unmarshal(data []byte) (Event, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	decode, ok := decoders[head.Type]
	if !ok {
		return Raw{Event: json.RawMessage(append([]byte(nil), data...))}, nil
	}
	e, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("decode %s event: %w", head.Type, err)
	}
	return e, nil
}

//nolint:gochecknoglobals // a constant table
var decoders = map[string]func([]byte) (Event, error){
	TypeRunStarted:              into[RunStarted],
	TypeRunFinished:             into[RunFinished],
	TypeRunError:                into[RunError],
	TypeTextMessageStart:        into[TextMessageStart],
	TypeTextMessageContent:      into[TextMessageContent],
	TypeTextMessageEnd:          into[TextMessageEnd],
	TypeReasoningStart:          into[ReasoningStart],
	TypeReasoningMessageStart:   into[ReasoningMessageStart],
	TypeReasoningMessageContent: into[ReasoningMessageContent],
	TypeReasoningMessageEnd:     into[ReasoningMessageEnd],
	TypeReasoningEnd:            into[ReasoningEnd],
	TypeToolCallStart:           into[ToolCallStart],
	TypeToolCallArgs:            into[ToolCallArgs],
	TypeToolCallEnd:             into[ToolCallEnd],
	TypeToolCallResult:          into[ToolCallResult],
	TypeCustom:                  into[Custom],
	TypeRaw:                     into[Raw],
}

func into[E Event](data []byte) (Event, error) {
	var e E
	err := json.Unmarshal(data, &e)
	return e, err
}
