package processes

import (
	"errors"
	"os"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// resize is never called: there are no terminals here.
func resize(*os.File, sandbox.Size) error { return errors.ErrUnsupported }
