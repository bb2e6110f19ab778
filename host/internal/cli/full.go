package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/reserve"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// makeRoom lets what follows work on a full disk: the reserve is given up. To be
// called when it is over is what it returns.
func (a *app) makeRoom() (over func(), err error) {
	home, err := a.world.home()
	if err != nil {
		return nil, err
	}
	if a.full, err = reserve.Use(home); err != nil {
		return nil, err
	}
	if !a.full {
		return func() {}, nil
	}
	return func() {
		if err := reserve.Keep(home); err != nil {
			a.note("the disk of %s is still almost full: nothing could be kept in reserve for the next time", home)
		}
	}, nil
}

// advised tells with an error of a full disk what makes room on it.
func (a *app) advised(err error) error {
	if !errors.Is(err, store.ErrFull) && !a.fullAtHome(err) {
		return err
	}
	if a.full { // the reserve is gone, and it wasn't enough
		return fmt.Errorf("%w; remove something else from that disk by hand, a few MiB, and try again", err)
	}
	return fmt.Errorf("%w; make room on that disk, or let `sandlot gc --idle 1m` or `sandlot destroy SANDBOX` do it: they work on a full disk, too", err)
}

// fullAtHome reports whether an error says that the host's own folder takes no
// more.
func (a *app) fullAtHome(err error) bool {
	file, ok := errors.AsType[*fs.PathError](err)
	home, homeErr := a.world.home()
	return ok && homeErr == nil && reserve.Full(err) && strings.HasPrefix(file.Path, home)
}
