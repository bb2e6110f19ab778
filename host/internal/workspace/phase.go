package workspace

import "time"

// Phase is one step on the way to a sandbox that is ready, told when it starts
// and when it ends.
type Phase struct {
	Name   string        // "pull", "create", "resume", "source", "setup", ...
	State  string        // "start", "progress", "done", "failed"
	Took   time.Duration // since its start; not of "start"
	Detail string        // one line for a person; of "failed", why
}

// Begin tells that a phase starts; done tells how it ended, with another detail
// than at the start if that isn't empty.
func Begin(tell func(Phase), name, detail string) (done func(detail string, err error)) {
	began := time.Now()
	tell(Phase{Name: name, State: "start", Detail: detail})
	return func(now string, err error) {
		p := Phase{Name: name, State: "done", Took: time.Since(began), Detail: detail}
		if now != "" {
			p.Detail = now
		}
		if err != nil {
			p.State, p.Detail = "failed", err.Error()
		}
		tell(p)
	}
}
