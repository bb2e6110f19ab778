package modelserver

import "time"

// Script is what the model does: one turn for each request of the agent's
// conversation, in the order of the requests.
type Script []Turn

// Turn is the answer to one request.
type Turn struct {
	Parts []Part // in order; empty: an answer without content
	Usage Usage  // what the answer says was used; zero: 100 in, 20 out

	// Forever makes this turn answer all requests from here on, for agents that
	// ask again after an error. It must be the script's last.
	Forever bool
}

// Usage counts tokens.
type Usage struct{ Input, Output int }

// Part is a piece of a turn: Text, Thought, Call, Failure, Silence or Until.
type Part interface{ part() }

// Text is one delta of what the model says.
type Text string

// Thought is one delta of what the model thinks.
type Thought string

// Call is a tool call. Arguments are encoded as JSON; ID is made up if empty.
type Call struct {
	ID, Name  string
	Arguments any
}

// Failure is an error instead of an answer. It must be a turn's only part.
type Failure struct {
	Status     int           // of HTTP
	Type       string        // the API's own name of the error, such as "authentication_error"
	Message    string        // for a person
	RetryAfter time.Duration // told in the header, in whole seconds; zero: it isn't
}

// Silence keeps the connection open and sends nothing, until the agent goes
// away. As the first part, not even the header of an answer is sent.
type Silence struct{}

// Until holds the answer back until the channel is closed or the agent goes
// away: for tests that force an order.
type Until <-chan struct{}

func (Text) part()    {}
func (Thought) part() {}
func (Call) part()    {}
func (Failure) part() {}
func (Silence) part() {}
func (Until) part()   {}

// Say is a turn that is only text, one delta each.
func Say(deltas ...string) Turn {
	var t Turn
	for _, d := range deltas {
		t.Parts = append(t.Parts, Text(d))
	}
	return t
}

// Use is a turn that says a word and calls one tool.
func Use(tool string, arguments any) Turn {
	return Turn{Parts: []Part{Text("I'll use " + tool + "."), Call{Name: tool, Arguments: arguments}}}
}

// Fail is a turn that answers every request from here on with an error.
func Fail(status int, typ, message string) Turn {
	return Turn{Parts: []Part{Failure{Status: status, Type: typ, Message: message}}, Forever: true}
}
