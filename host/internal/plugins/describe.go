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

// fileKey tells one content of a file from another without reading it.
type fileKey struct {
	path  string
	size  int64
	time  time.Time
	inode uint64 // 0 where there are none
}

func keyOf(path string, info os.FileInfo) fileKey {
	return fileKey{path: path, size: info.Size(), time: info.ModTime(), inode: inode(info)}
}

// description is what is known of one file. Its lock makes several askers wait
// for one process.
type description struct {
	key   fileKey
	mu    sync.Mutex
	known bool
	d     Description
	sum   string
}

// Describe returns what a plugin says of itself. environ is the host's; the
// plugin gets the usual part of it. An answer is kept as long as the file's
// size and time stay.
func (p *Plugins) Describe(ctx context.Context, kind Kind, typ string, environ []string) (Description, error) {
	_, d, err := p.describe(ctx, kind, typ, environ)
	if err != nil {
		return Description{}, err
	}
	return d.d, nil
}

// Schema returns the schema of a plugin's configuration block.
func (p *Plugins) Schema(ctx context.Context, kind Kind, typ string, environ []string) (schema.Block, error) {
	d, err := p.Describe(ctx, kind, typ, environ)
	return d.Schema, err
}

func (p *Plugins) describe(ctx context.Context, kind Kind, typ string, environ []string) (Candidate, *description, error) {
	c, err := p.Find(kind, typ)
	if err != nil {
		return Candidate{}, nil, err
	}
	entry, err := p.entry(c.Path)
	if err != nil {
		return Candidate{}, nil, sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, err)
	}
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.known {
		return c, entry, nil
	}
	d, err := p.ask(ctx, c, environ)
	if err != nil {
		return Candidate{}, nil, err
	}
	if entry.sum, err = checksum(c.Path); err != nil {
		return Candidate{}, nil, sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, err)
	}
	entry.d, entry.known = d, true
	return c, entry, nil
}

// ask runs a candidate's describe and checks the answer.
func (p *Plugins) ask(ctx context.Context, c Candidate, environ []string) (Description, error) {
	env := Environ(environ, nil, p.opts.Home)
	d, err := plugin.Describe(ctx, c.Path, env, p.opts.DescribeTimeout)
	if err != nil {
		return d, p.crashed(c, err, scrubber(env, nil))
	}
	return d, fits(c, d)
}

// crashed writes a report of a describe that crashed; of one that failed there is
// no more to tell than the error does.
func (p *Plugins) crashed(c Candidate, err error, scrub func([]byte) []byte) error {
	died, ok := errors.AsType[*plugin.DiedError](err)
	if !ok || died.Signal == "" && died.Panic == "" {
		return err
	}
	sum, sumErr := checksum(c.Path)
	if sumErr != nil {
		sum = ""
	}
	died.Incident.Calls = []string{"describe"}
	died.Report = p.report(report{incident: died.Incident, kind: c.Kind, typ: c.Type, sha256: sum, scrub: scrub})
	return sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, died)
}

func (p *Plugins) entry(path string) (*description, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	key := keyOf(path, info)
	p.mu.Lock()
	defer p.mu.Unlock()
	entry := p.described[key]
	if entry == nil {
		entry = &description{key: key}
		p.described[key] = entry
	}
	return entry, nil
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

// checksum is the hex SHA-256 of a file.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
