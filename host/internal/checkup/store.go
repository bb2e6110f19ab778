package checkup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// lookThrough is how long the store is looked through for damage.
const lookThrough = 10 * time.Second

func (m *Machine) storePath() string { return filepath.Join(m.Home, "store.db") }

// store looks whether the store can be read, and looks through it.
func (m *Machine) store(ctx context.Context, l *list) {
	ctx, stop := context.WithTimeout(ctx, lookThrough)
	defer stop()
	aside := fmt.Sprintf("mv %s %s", word(m.storePath()), word(m.storePath()+".damaged"))
	st, err := store.Peek(ctx, m.storePath())
	var newer *store.NewerError
	var older *store.OlderError
	switch {
	case errors.Is(err, store.ErrNotFound):
		l.add(OK, "there is no store yet; the first run makes it", "")
		return
	case errors.As(err, &newer):
		l.add(Problem, newer.Error(), "install the newer version of sandlot again")
		return
	case errors.As(err, &older):
		l.add(Note, older.Error(), "")
		return
	case errors.Is(err, store.ErrDamaged):
		l.add(Problem, err.Error()+"; without it, runs begin anew and sandboxes are no longer known", aside)
		return
	case errors.Is(err, syscall.ENOTDIR):
		return // told of by the check of the state folder
	case err != nil:
		l.add(Problem, err.Error(), "chmod u+rw "+word(m.storePath()))
		return
	}
	defer st.Close()
	faults, err := st.Faults(ctx)
	switch {
	case errors.Is(err, store.ErrDamaged) || len(faults) > 0:
		text := fmt.Sprintf("%s is damaged", m.storePath())
		if len(faults) > 0 {
			text += ": " + faults[0]
		}
		l.add(Problem, text, aside)
	case ctx.Err() != nil:
		l.add(Note, fmt.Sprintf("%s can be read; to look through it takes longer than %s", m.storePath(), lookThrough), "")
	case err != nil:
		l.add(Problem, err.Error(), "chmod u+rw "+word(m.storePath()))
	default:
		l.add(OK, m.storePath()+" can be read and isn't damaged", "")
	}
}
