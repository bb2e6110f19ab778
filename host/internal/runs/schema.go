package runs

import (
	"encoding/json"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// CheckSchema refuses a schema that a harness would leave aside; nil is none.
func CheckSchema(spec *config.Spec, traits harness.Traits, schema json.RawMessage) error {
	if len(schema) == 0 || traits.Schemas {
		return nil
	}
	return fmt.Errorf("harness %s can't have its agent answer by a schema; leave out --schema, and say in the prompt what you need", spec.Harness.Type)
}
