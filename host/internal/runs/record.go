package runs

import (
	"encoding/json"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Approve says who answers when a rule asks.
type Approve string

// The ways of answering.
const (
	ApproveAsk Approve = "ask" // a person, here or elsewhere
	ApproveYes Approve = "yes" // allowed at once
	ApproveNo  Approve = "no"  // denied at once
)

// Record is what a run's row keeps as its spec: all that a driver needs, with
// secrets by reference only.
type Record struct {
	Spec    *config.Spec `json:"spec"`
	Prompt  string       `json:"prompt"`
	Approve Approve      `json:"approve"`

	Schema json.RawMessage `json:"schema,omitempty"` // JSON schema of the answer; nil: any text will do
}

func decodeRecord(data json.RawMessage) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("decode spec of the run: %w", err)
	}
	if r.Spec == nil {
		return nil, fmt.Errorf("decode spec of the run: it holds none")
	}
	return r, nil
}

// Structured reports whether a run's answer is to be JSON, of a schema that was
// given with its prompt.
func Structured(run store.Run) bool {
	r, err := decodeRecord(run.Spec)
	return err == nil && len(r.Schema) > 0
}
