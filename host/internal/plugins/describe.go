package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// entry is what is known of one file. Its lock makes several askers wait for one
// process.
type entry struct {
	mu    sync.Mutex
	known bool
	facts facts
}

// facts are those of one file.
type facts struct {
	key   fileKey
	d     Description
	sum   string
	asked bool // d was said to this process, so that what it tells of this machine holds, too
}

// Describe returns what a plugin says of itself. environ is the host's; the
// plugin gets the usual part of it. The program is asked once in this process's
// life, as long as the file's size and time stay.
func (p *Plugins) Describe(ctx context.Context, kind Kind, typ string, environ []string) (Description, error) {
	_, f, err := p.describe(ctx, kind, typ, environ, true)
	if err != nil {
		return Description{}, err
	}
	return f.d, nil
}

// Version returns a plugin's version, and Schema the schema of its configuration
// block. They are the program's own, so that an earlier process may have asked.
func (p *Plugins) Version(ctx context.Context, kind Kind, typ string, environ []string) (string, error) {
	_, f, err := p.describe(ctx, kind, typ, environ, false)
	if err != nil {
		return "", err
	}
	return f.d.Version, nil
}

// Schema is described at Version.
func (p *Plugins) Schema(ctx context.Context, kind Kind, typ string, environ []string) (schema.Block, error) {
	_, f, err := p.describe(ctx, kind, typ, environ, false)
	if err != nil {
		return schema.Block{}, err
	}
	return f.d.Schema, nil
}

// describe finds a plugin and what is known of it. here: the answer is to be of
// this machine, now; else what an earlier process has kept will do.
func (p *Plugins) describe(ctx context.Context, kind Kind, typ string, environ []string, here bool) (Candidate, facts, error) {
	c, err := p.Find(kind, typ) // whether it may be run is looked at each time
	if err != nil {
		return Candidate{}, facts{}, err
	}
	looked := time.Now()
	info, err := os.Stat(c.Path)
	if err != nil {
		return Candidate{}, facts{}, sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, err)
	}
	e := p.entry(keyOf(c.Path, info))
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known && (e.facts.asked || !here) {
		return c, e.facts, nil
	}
	f := facts{key: keyOf(c.Path, info)}
	program, lasting := identify(c.Path, info)
	if lasting && !here {
		if d, sum, ok := p.recall(program); ok && fits(c, d) == nil {
			f.d, f.sum = d, sum
			e.facts, e.known = f, true
			return c, f, nil
		}
	}
	d, said, err := p.ask(ctx, c, environ)
	if err != nil {
		return Candidate{}, facts{}, err
	}
	sum, script, err := checksum(c.Path)
	if err != nil {
		return Candidate{}, facts{}, sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, err)
	}
	f.d, f.sum, f.asked = d, sum, true
	e.facts, e.known = f, true
	// What a script says of itself may come out of other files.
	if lasting && !script && program.settled(looked) && program.still() {
		p.keep(kept{Program: program, SHA256: sum, Description: said})
	}
	return c, f, nil
}

// ask runs a candidate's describe and checks the answer. said is the JSON of it.
func (p *Plugins) ask(ctx context.Context, c Candidate, environ []string) (d Description, said []byte, err error) {
	env := Environ(environ, nil, p.opts.Home)
	d, said, err = plugin.Describe(ctx, c.Path, env, p.opts.DescribeTimeout)
	if err != nil {
		return d, nil, p.crashed(c, err, p.scrubber(env, nil))
	}
	return d, said, fits(c, d)
}

// crashed writes a report of a describe that crashed; of one that failed there is
// no more to tell than the error does.
func (p *Plugins) crashed(c Candidate, err error, scrub func([]byte) []byte) error {
	died, ok := errors.AsType[*plugin.DiedError](err)
	if !ok || died.Signal == "" && died.Panic == "" {
		return err
	}
	sum, _, sumErr := checksum(c.Path)
	if sumErr != nil {
		sum = ""
	}
	died.Incident.Calls = []string{"describe"}
	died.Report = p.report(report{incident: died.Incident, kind: c.Kind, typ: c.Type, sha256: sum, scrub: scrub})
	return sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, died)
}

func (p *Plugins) entry(key fileKey) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.described[key]
	if e == nil {
		e = &entry{}
		p.described[key] = e
	}
	return e
}

// fits checks that the file is what its name says and that we can talk to it.
func fits(c Candidate, d Description) error {
	if d.Kind != c.Kind || d.Type != c.Type {
		return &sandbox.Error{
			Class: sandbox.Invalid,
			Message: fmt.Sprintf("describe %s: it says that it is the %s %q, and has the name of the %s %q",
				c.Path, d.Kind, d.Type, c.Kind, c.Type),
			Hint: "rename it to " + plugin.Binary(d.Kind, d.Type),
		}
	}
	if !slices.ContainsFunc(d.Protocols, func(major int) bool { return slices.Contains(plugin.Protocols(), major) }) {
		return &sandbox.Error{
			Class: sandbox.Unsupported,
			Message: fmt.Sprintf("describe %s: version %s speaks protocol %s, this program speaks %s",
				c.Path, d.Version, majors(d.Protocols), majors(plugin.Protocols())),
			Hint: older(d.Protocols),
		}
	}
	return nil
}

func majors(list []int) string {
	if len(list) == 0 {
		return "none"
	}
	var words []string
	for _, major := range list {
		words = append(words, strconv.Itoa(major))
	}
	return strings.Join(words, " and ")
}

// older says which of the two is to be updated.
func older(theirs []int) string {
	if len(theirs) > 0 && slices.Min(theirs) > slices.Max(plugin.Protocols()) {
		return "update sandlot, or take an older version of the plugin"
	}
	return "update the plugin"
}

// checksum is the hex SHA-256 of a file, and whether it is a script. A pipe or a
// device isn't opened: who reads those may wait for ever.
func checksum(path string) (sum string, script bool, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("sum %s: it is not a file", path)
	}
	if err != nil {
		return "", false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = f.Close() }() // read only
	var start [2]byte
	n, err := io.ReadFull(f, start[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", false, err
	}
	h := sha256.New()
	_, _ = h.Write(start[:n]) // never fails
	if _, err := io.Copy(h, f); err != nil {
		return "", false, err
	}
	return hex.EncodeToString(h.Sum(nil)), string(start[:]) == "#!", nil
}
