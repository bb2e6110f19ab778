package journal

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// HasCopy reports whether a folder holds the copy of a journal, or the reason
// why there is none.
func HasCopy(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifest))
	return err == nil
}

// Settled reports whether a journal was copied and removed from its sandbox.
func Settled(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, unremoved))
	return HasCopy(dir) && errors.Is(err, fs.ErrNotExist)
}

// Settle notes that the sandbox doesn't hold the journal any more.
func Settle(dir string) error {
	err := os.Remove(filepath.Join(dir, unremoved))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note removal of journal: %w", err)
	}
	return nil
}

// ReadCopied reads what a copy says of itself.
func ReadCopied(dir string) (Copied, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil {
		return Copied{}, fmt.Errorf("read copy of journal: %w", err)
	}
	var c Copied
	if err := json.Unmarshal(data, &c); err != nil {
		return Copied{}, fmt.Errorf("read copy of journal in %s: %w", dir, err)
	}
	return c, nil
}

// OpenCopied opens one file of a copy: out, err, in or exit. An error that is
// fs.ErrNotExist says that the copy has none.
func OpenCopied(dir, name string) (io.ReadCloser, error) {
	f, err := os.Open(filepath.Join(dir, name+packed))
	if err != nil {
		return nil, fmt.Errorf("read copy of journal: %w", err)
	}
	zip, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read copy of journal %s: %w", f.Name(), err), f.Close())
	}
	return unpacked{zip, f}, nil
}

type unpacked struct {
	*gzip.Reader

	file *os.File
}

func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }
