package shellfs

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// List asks stat about all that find finds.
func (f files) List(ctx context.Context, p string) ([]sandbox.FileInfo, error) {
	what := "list folder " + quoted(p)
	e, err := f.entry(p)
	if err != nil {
		return nil, prefix(what, err)
	}
	m := newMark()
	s, err := f.stream(ctx, call{what: what, script: listScript, args: []string{e.folder, e.name, m.format(), m.end()}})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	list, err := m.parse(what, s)
	if err == nil {
		_, err = io.Copy(io.Discard, s) // its exit counts too
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b sandbox.FileInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// prefix says what failed before an error, whose class stays.
func prefix(what string, err error) error {
	if err == nil {
		return nil
	}
	return sandbox.Errorf(sandbox.ClassOf(err), "%s: %w", what, err)
}
