package store

import (
	"context"
	"encoding/json"
)

// RunUpdate names what changes; nil fields stay.
type RunUpdate struct {
	Sandbox       *string // key of the sandbox row
	Key           *string
	Launch        *json.RawMessage
	Proc          *string
	PromptSent    *bool
	WaitingOn     *string
	HarnessSHA256 *string
}

// UpdateRun changes a run's row. Fenced.
func (s *Store) UpdateRun(ctx context.Context, run string, epoch int64, u RunUpdate) error {
	return s.fenced(ctx, "update", run, epoch, func(t *tx) error {
		var launch []byte
		if u.Launch != nil {
			launch = blob(*u.Launch)
		}
		_, err := t.exec(`UPDATE runs SET
			sandbox        = coalesce(?2, sandbox),
			key            = coalesce(?3, key),
			launch         = coalesce(?4, launch),
			proc           = coalesce(?5, proc),
			prompt_sent    = coalesce(?6, prompt_sent),
			waiting_on     = coalesce(?7, waiting_on),
			harness_sha256 = coalesce(?8, harness_sha256)
			WHERE id = ?1`, run, u.Sandbox, u.Key, launch, u.Proc, u.PromptSent, u.WaitingOn, u.HarnessSHA256)
		return err
	})
}
