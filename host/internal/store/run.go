package store

import (
	"encoding/json"
	"time"
)

// Status is where a run is: pending, running, or one of three ends.
type Status string

const (
	Pending   Status = "pending"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Canceled  Status = "canceled"
)

// Terminal says whether the run has ended.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Canceled }

// Driver names a process so that no other can be taken for it: pids come back, pairs of pid and start time on one
// boot don't. The zero value is no driver.
type Driver struct {
	BootID    string `json:"boot_id"`
	PID       int    `json:"pid"`
	StartTime string `json:"start_time"` // as the system counts it; only ever compared
}

// Run is one run's row. Times are UTC with millisecond precision; the zero time is "not yet".
type Run struct {
	ID         string
	Thread     string // thread id
	ThreadName string
	Project    string
	Harness    string          // harness type, from the thread
	Key        string          // sandbox key the run asked for
	Spec       json.RawMessage // the resolved run, with secret references instead of values

	Status          Status
	Epoch           int64 // 0 until the first claim, then one more with each
	Driver          Driver
	LeaseUntil      time.Time
	CancelRequested time.Time
	WaitingOn       string // id of the approval the run waits on; empty if none
	PromptSent      bool

	Created  time.Time
	Started  time.Time // first claim
	Finished time.Time
	Exit     *int // the agent's exit code; nil if unknown
	Reason   string
	Message  string
	Usage    json.RawMessage
	Cost     *float64 // US dollars; nil if unknown

	HarnessSHA256 string // hex, of the harness binary that reads the journal
	HashKey       []byte // 32 random bytes: key of the rolling hash over agent events
	Sandbox       string // key of the sandbox row the run is in; empty until ensured
	Launch        json.RawMessage
	Proc          string // the agent's process id in the sandbox; empty until started
}

// runColumns are what scanRun reads, of runs joined with threads.
const runColumns = `r.id, r.thread, t.name, t.project, t.harness, r.key, r.spec, r.status, r.epoch, r.driver,
	r.lease_until, r.cancel_requested, r.waiting_on, r.prompt_sent, r.created, r.started, r.finished,
	r.exit, r.reason, r.message, r.usage, r.cost, r.harness_sha256, r.hash_key, r.sandbox, r.launch, r.proc`

const fromRuns = ` FROM runs r JOIN threads t ON t.id = r.thread `

func scanRun(src row) (Run, error) {
	var r Run
	err := src.Scan(&r.ID, &r.Thread, &r.ThreadName, &r.Project, &r.Harness, &r.Key, raw{&r.Spec}, &r.Status, &r.Epoch,
		driverColumn{&r.Driver}, millis{&r.LeaseUntil}, millis{&r.CancelRequested},
		&r.WaitingOn, &r.PromptSent, millis{&r.Created}, millis{&r.Started}, millis{&r.Finished}, &r.Exit, &r.Reason,
		&r.Message, raw{&r.Usage}, &r.Cost, &r.HarnessSHA256, &r.HashKey, &r.Sandbox, raw{&r.Launch}, &r.Proc)
	return r, err
}
