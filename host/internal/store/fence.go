package store

import (
	"database/sql"
	"errors"
)

// fence checks that the caller drives the run: first its epoch, so that a driver which lost the run learns that and
// not what became of it since.
func (t *tx) fence(run string, epoch int64) error {
	have, status, err := t.state(run)
	switch {
	case err != nil:
		return err
	case have != epoch || status == Pending:
		return ErrFenced
	case status.Terminal():
		return ErrTerminal
	}
	return nil
}

func (t *tx) state(run string) (epoch int64, status Status, err error) {
	err = t.row(`SELECT epoch, status FROM runs WHERE id = ?`, run).Scan(&epoch, &status)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return epoch, status, err
}

// live answers ErrNotFound or ErrTerminal for a run that nobody can change any more.
func (t *tx) live(run string) error {
	_, status, err := t.state(run)
	if err == nil && status.Terminal() {
		return ErrTerminal
	}
	return err
}
