package store

import "context"

// Sandbox reads one by its key. [ErrNotFound] if there is none.
func (s *Store) Sandbox(ctx context.Context, key string) (SandboxRow, error) {
	b, err := scanSandbox(s.read.QueryRowContext(ctx, sandboxColumns+`WHERE key = ?`, key))
	return b, s.found("sandbox "+key, err)
}

// SandboxByID reads one by its provider's id; of several, the one used last. [ErrNotFound] if there is none.
func (s *Store) SandboxByID(ctx context.Context, id string) (SandboxRow, error) {
	b, err := scanSandbox(s.read.QueryRowContext(ctx,
		sandboxColumns+`WHERE id = ? AND id <> '' ORDER BY used DESC, rowid DESC LIMIT 1`, id))
	return b, s.found("sandbox "+id, err)
}

// Sandboxes lists all rows, the last made first.
func (s *Store) Sandboxes(ctx context.Context) ([]SandboxRow, error) {
	rows, err := s.read.QueryContext(ctx, sandboxColumns+`ORDER BY created DESC, rowid DESC`)
	return collect(s, "sandboxes", rows, err, scanSandbox)
}

// FindSandboxes answers what a person may mean by ref: the sandbox with that id or key; else those of the block of
// that name; else those whose id, key or resource name (sandlot-<key>) starts with it. Those that are gone count only
// by id or key. Nothing found is an empty answer; more than one is for the caller to refuse.
func (s *Store) FindSandboxes(ctx context.Context, ref string) ([]SandboxRow, error) {
	if ref == "" {
		return nil, nil
	}
	for _, where := range []string{
		`WHERE key = ?1 OR id = ?1`,
		`WHERE block = ?1 AND state <> 'gone'`,
		`WHERE state <> 'gone' AND (substr(id, 1, length(?1)) = ?1 OR substr(key, 1, length(?1)) = ?1
			OR substr('sandlot-' || key, 1, length(?1)) = ?1)`,
	} {
		rows, err := s.read.QueryContext(ctx, sandboxColumns+where+` ORDER BY created DESC, rowid DESC`, ref)
		found, err := collect(s, "sandboxes", rows, err, scanSandbox)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}
