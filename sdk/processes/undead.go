package processes

import (
	"errors"
	"fmt"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// logged is how many processes of one kill are told of in the log.
const logged = 20

// KillError gives the error of a kill its class. Processes that live on are told of
// in the host's log, too, one line each, by pid and program: arguments may hold
// secrets. What has ended by itself isn't among them.
func KillError(log hclog.Logger, what string, err error) error {
	left, ok := errors.AsType[*proctree.SurvivorsError](err)
	if !ok {
		return Classify(what, err)
	}
	for _, m := range left.Members[:min(len(left.Members), logged)] {
		log.Warn("process couldn't be ended", "pid", m.PID, "program", m.Program(), "uid", m.UID, "state", string(m.State), "cause", left.Cause)
	}
	e := &sandbox.Error{
		Class: sandbox.Unavailable, Cause: err, Message: fmt.Sprintf("%s: %v", what, left),
		Hint: "all else was ended; it is tried again with the next try",
	}
	if m := left.Members[0]; m.Denied {
		e.Hint = fmt.Sprintf("all else was ended; end it with the rights of that user, e.g. sudo kill -9 %d, and try again", m.PID)
	} else if m.State == 'D' {
		e.Hint = "all else was ended; it dies when the kernel lets go of it, for example when a disk or a network share answers again; then try again"
	}
	return e
}
