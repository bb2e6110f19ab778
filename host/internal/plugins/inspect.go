package plugins

import (
	"context"
	"fmt"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// Inspection is what is known of one candidate.
type Inspection struct {
	Candidate

	Version string // of the plugin; empty if it didn't say
	SHA256  string // of the file, hex; empty if it can't be read
	// Problem is why it can't be used although it may be run: it doesn't describe
	// itself, or not as what its name says. Empty: it can.
	Problem string
	// Behind is the path of the one that is used, or refused, in its place; empty
	// if there is none.
	Behind string
}

// inspectors is how many candidates are looked into at once.
const inspectors = 4

// Inspect looks into every candidate: it sums its bytes and, if it may be run,
// asks what it is. environ is the host's.
func (p *Plugins) Inspect(ctx context.Context, environ []string) []Inspection {
	candidates := p.Candidates()
	all := make([]Inspection, len(candidates))
	first := map[string]Candidate{}
	for i, c := range candidates {
		all[i].Candidate = c
		name := plugin.Binary(c.Kind, c.Type)
		if before, ok := first[name]; ok {
			all[i].Behind = before.Path
		} else if c.Refused == "" || p.asked(c) { // see Find
			first[name] = c
		}
	}
	slots := make(chan struct{}, inspectors)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			p.inspect(ctx, &all[i], environ)
		})
	}
	group.Wait()
	return all
}

func (p *Plugins) inspect(ctx context.Context, i *Inspection, environ []string) {
	if sum, _, err := checksum(i.Path); err == nil {
		i.SHA256 = sum
	}
	if i.Refused != "" {
		return
	}
	d, _, err := p.ask(ctx, i.Candidate, environ)
	i.Version = d.Version
	if err != nil {
		i.Problem = fmt.Sprint(err)
	}
}
