package unseen

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Prefix begins the name of a file that has one before it is whole.
const Prefix = ".sandlot-part-"

// File is one that isn't whole yet.
type File struct {
	*os.File // to write to

	root *os.Root
	name string
	tmp  string    // the name that it has meanwhile; empty: none
	free *nameless // nil: it has a name meanwhile
}

// Create makes an empty file for a name in a folder that is there, with mode 0600.
// Close it in any case.
func Create(root *os.Root, name string) (*File, error) { return create(root, name, open) }

func create(root *os.Root, name string, open func(*os.Root, string) (*os.File, *nameless, error)) (*File, error) {
	f := &File{root: root, name: name}
	file, free, err := open(root, filepath.Dir(name))
	if err == nil {
		f.File, f.free = file, free
		return f, nil
	}
	f.tmp = f.beside()
	f.File, err = root.OpenFile(f.tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) beside() string { return filepath.Join(filepath.Dir(f.name), Prefix+rand.Text()) }

// Place gives the file its name, in the place of a file or link that has it.
// Nothing is written after that. A zero time leaves the file's as it is.
func (f *File) Place(modified time.Time) error {
	if f.free == nil {
		if err := f.File.Close(); err != nil { // Windows moves no file that is open
			return err
		}
	}
	if !modified.IsZero() {
		if err := f.stamp(modified); err != nil {
			return err
		}
	}
	if f.free != nil {
		err := f.free.link(f.File, filepath.Base(f.name))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		// A link replaces nothing, and a rename does.
		f.tmp = f.beside()
		if err := f.free.link(f.File, filepath.Base(f.tmp)); err != nil {
			return err
		}
	}
	if err := f.root.Rename(f.tmp, f.name); err != nil {
		return err
	}
	f.tmp = ""
	return nil
}

func (f *File) stamp(modified time.Time) error {
	if f.free != nil {
		return f.free.stamp(f.File, modified)
	}
	return f.root.Chtimes(f.tmp, modified, modified)
}

// Close lets go of the file: without Place nothing of it is left.
func (f *File) Close() error {
	err := f.File.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	if f.free != nil {
		err = errors.Join(err, f.free.Close())
	}
	if f.tmp != "" {
		if rerr := f.root.Remove(f.tmp); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}
