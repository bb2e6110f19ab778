package runs

import (
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// errPluginLost marks an error that came of a plugin's death.
var errPluginLost = errors.New("plugin lost")

// lostError is an error that came of a plugin's death, without a word more: what
// the plugin died of says enough.
type lostError struct{ error }

func (e *lostError) Unwrap() []error { return []error{errPluginLost, e.error} }

// lostBy is the error of an attempt whose plugins are dead; died may be nil for
// each of them that isn't.
func lostBy(err error, died ...error) error {
	for _, d := range died {
		if d != nil && !errors.Is(err, d) {
			err = fmt.Errorf("%w; %w", d, err)
		}
	}
	return &lostError{err}
}

// cutOff reports whether an error is the loss of a sandbox that an agent was at
// work in, though its plugin lives: the run is attempted again, as the agent may
// have gone on. Where the sandbox has ended, or only what connects us to it, is
// seen then.
func (d *drive) cutOff(err error) bool {
	return d.reached && errors.Is(err, sandbox.Unavailable)
}
