package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const mostSchema = 1 << 20 // bytes

// schema reads the JSON schema that an answer is to have; nil: none is wanted. A
// harness that would leave it aside is refused before anything starts.
func (a *app) schema(ctx context.Context, file string, spec *config.Spec) (json.RawMessage, error) {
	if file == "" {
		return nil, nil
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.world.Dir, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, usagef("read schema: %w", err)
	}
	if len(data) > mostSchema {
		return nil, usagef("the schema %s has %d bytes, more than the %d that can be handed over; ask for less", file, len(data), mostSchema)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return nil, usagef("the schema %s is no JSON object; a JSON schema begins with {\"type\": \"object\"", file)
	}
	traits, err := a.traits(ctx, spec)
	if err != nil {
		return nil, err
	}
	if traits == nil {
		traits = &harness.Traits{}
	}
	if err := runs.CheckSchema(spec, *traits, data); err != nil {
		return nil, usagef("%w", err)
	}
	var out bytes.Buffer
	if err := json.Compact(&out, data); err != nil {
		return nil, usagef("read schema %s: %w", file, err)
	}
	return out.Bytes(), nil
}

// aside tells what the agent says beside the answer, by lines.
func (r *text) aside(delta string) {
	lines := strings.Split(r.prose+delta, "\n")
	for _, line := range lines[:len(lines)-1] {
		if line = strings.TrimSpace(line); line != "" {
			r.note("%s", r.paint.dim(printable(line)))
		}
	}
	r.prose = lines[len(lines)-1]
}
