//go:build !linux

package unseen

import (
	"errors"
	"os"
	"time"
)

// nameless would be the folder for which a file without a name was made.
type nameless struct{ *os.File }

func open(*os.Root, string) (*os.File, *nameless, error) { return nil, nil, errors.ErrUnsupported }

func (*nameless) link(*os.File, string) error { return errors.ErrUnsupported }

func (*nameless) stamp(*os.File, time.Time) error { return errors.ErrUnsupported }
