package format

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// Formatted is a text and its layout.
type Formatted struct {
	Before, After []byte
	// Source and Diagnostics say what is wrong with the text; then After is Before.
	Source      *hcl.File
	Diagnostics hcl.Diagnostics
}

// Changed reports whether the text isn't laid out yet.
func (f Formatted) Changed() bool { return !bytes.Equal(f.Before, f.After) }

// Source lays out a text. Name is what diagnostics call it.
func Source(src []byte, name string) (Formatted, error) {
	f := Formatted{Before: src, After: src}
	if f.Source, f.Diagnostics = config.Syntax(src, name); f.Diagnostics.HasErrors() {
		return f, nil
	}
	after, err := Text(src)
	if err != nil {
		return f, err
	}
	f.After = after
	return f, nil
}

// File lays out the text of a file, and leaves the file alone.
func File(path, name string) (Formatted, error) {
	src, err := config.ReadSource(path)
	if err != nil {
		return Formatted{}, fmt.Errorf("read file: %w", err)
	}
	return Source(src, name)
}

// Replace puts After into the file: whole or not at all, with its mode, owner and
// group. Of a link the file that it leads to is replaced. A file that may not be
// written, whose owner or group can't be kept, or that isn't Before any more, is left
// alone.
func (f Formatted) Replace(path string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("the file is read-only: %w; make it writable with chmod u+w", fs.ErrPermission)
	}
	if err := writable(real); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(real), ".sandlot-fmt-*")
	if err != nil {
		return fmt.Errorf("its folder: %w; a file is replaced through a new one beside it", err)
	}
	defer os.Remove(temp.Name()) // gone, once renamed
	_, err = temp.Write(f.After)
	err = errors.Join(err, keepOwner(temp, info), temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	if now, err := config.ReadSource(real); err != nil || !bytes.Equal(now, f.Before) {
		return errors.New("the file was changed meanwhile; run fmt again")
	}
	return os.Rename(temp.Name(), real)
}

// writable asks whether we may write a file: that of another user can be replaced by
// whoever may write its folder.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
