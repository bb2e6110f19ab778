package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// describeTimeout is how long a plugin may take to say what it is.
const describeTimeout = 5 * time.Second

// fileKey tells one content of a file from another without reading it.
type fileKey struct {
	path string
	size int64
	time time.Time
}

// description is what is known of one file. Its lock makes several askers wait
// for one process.
type description struct {
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
	d, err := plugin.Describe(ctx, c.Path, Environ(environ, nil, p.opts.Home), describeTimeout)
	if err != nil {
		return Candidate{}, nil, err
	}
	if err := fits(c, d); err != nil {
		return Candidate{}, nil, err
	}
	if entry.sum, err = checksum(c.Path); err != nil {
		return Candidate{}, nil, sandbox.Errorf(sandbox.Unavailable, "describe %s: %w", c.Path, err)
	}
	entry.d, entry.known = d, true
	return c, entry, nil
}

func (p *Plugins) entry(path string) (*description, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	key := fileKey{path: path, size: info.Size(), time: info.ModTime()}
	p.mu.Lock()
	defer p.mu.Unlock()
	entry := p.described[key]
	if entry == nil {
		entry = &description{}
		p.described[key] = entry
	}
	return entry, nil
}

// fits checks that the file is what its name says and that we can talk to it.
func fits(c Candidate, d Description) error {
	if d.Kind != c.Kind || d.Type != c.Type {
		return sandbox.Errorf(sandbox.Invalid, "describe %s: it says it is the %s %q: the file has another's name", c.Path, d.Kind, d.Type)
	}
	if !slices.ContainsFunc(d.Protocols, func(major int) bool { return slices.Contains(plugin.Protocols(), major) }) {
		return &sandbox.Error{
			Class: sandbox.Unsupported,
			Message: fmt.Sprintf("describe %s: version %s speaks protocol %v, this program speaks %v",
				c.Path, d.Version, d.Protocols, plugin.Protocols()),
			Hint: "one of the two must be updated",
		}
	}
	return nil
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
