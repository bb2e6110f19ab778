package runs

import (
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// located puts before an error of a plugin where the configuration says what the
// plugin finds fault with.
func located(p config.Plugin, err error) error {
	e, ok := errors.AsType[*sandbox.Error](err)
	if !ok || e.Attribute == "" {
		return err
	}
	at := p.At(e.Attribute)
	if at == "" {
		return err
	}
	return fmt.Errorf("%s: %w", at, err)
}
