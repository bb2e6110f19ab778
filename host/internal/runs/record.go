package runs

import (
	"encoding/json"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
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
