package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Scrubber takes secrets out of one stream of bytes that comes in pieces. What
// it returns is valid until the next call.
type Scrubber interface {
	Redact(data []byte) []byte
	Close() []byte // what was kept back
}

// CopyOptions say what of a journal is copied.
type CopyOptions struct {
	Head, Tail int64           // bytes of each file that are kept, from its beginning and its end; 0: DefaultHead, DefaultTail
	Scrub      func() Scrubber // makes one for each stretch of a file
	Overlap    int             // length in bytes of the longest thing that Scrub replaces
}

// What is kept of one file of a journal by default.
const (
	DefaultHead = 16 << 20
	DefaultTail = 48 << 20
)

// Copied is what a copy says of itself, in its file journal.json.
type Copied struct {
	At    time.Time             `json:"at"`
	Note  string                `json:"note,omitempty"` // why there is less than a whole journal
	Files map[string]CopiedFile `json:"files,omitempty"`
}

// CopiedFile is one file of a copy.
type CopiedFile struct {
	Size int64  `json:"size"`           // bytes in the sandbox
	Cut  int64  `json:"cut,omitempty"`  // bytes that were left out of the middle
	Note string `json:"note,omitempty"` // why it wasn't copied; empty: it was
}

// The names of a copy's files.
const (
	manifest  = "journal.json"
	unremoved = "unremoved" // there as long as the sandbox may hold the journal too
	packed    = ".gz"
)

// copiedNames are the files of a journal that are copied.
func copiedNames() []string { return []string{"out", "err", "in", "exit"} }

// Copy copies the journal into a new folder of this machine, which is there
// whole or not at all; one that is there already stays. Each file is
// compressed, scrubbed, and cut in the middle if it is too large. What isn't a
// file of ours is named and not read: the agent may have put a link or a pipe in
// its place.
func (j *Journal) Copy(ctx context.Context, to string, opts CopyOptions) error {
	return publish(to, func(dir string) (Copied, error) {
		c := Copied{Files: map[string]CopiedFile{}}
		why, err := j.absent(ctx)
		if err != nil || why != "" {
			c.Note = why
			return c, err
		}
		for _, name := range copiedNames() {
			f, err := j.copyFile(ctx, name, filepath.Join(dir, name+packed), opts)
			switch {
			case err == nil:
			case errors.Is(err, sandbox.NotFound):
				continue
			case errors.Is(err, sandbox.Denied), errors.Is(err, sandbox.Invalid): // the agent's doing, and no better next time
				f.Note = err.Error()
			default:
				return c, fmt.Errorf("copy %s of the journal: %w", name, err)
			}
			c.Files[name] = f
		}
		return c, nil
	})
}

func (j *Journal) copyFile(ctx context.Context, name, to string, opts CopyOptions) (CopiedFile, error) {
	info, err := j.files.Stat(ctx, path.Join(j.folder, name))
	if err != nil {
		return CopiedFile{}, err
	}
	if info.Kind != sandbox.KindFile {
		return CopiedFile{Note: fmt.Sprintf("it was replaced by a %s, which isn't read", kindWord(info.Kind))}, nil
	}
	cut, err := j.pack(ctx, name, info.Size, to, opts)
	if err != nil {
		return CopiedFile{}, errors.Join(err, os.Remove(to))
	}
	return CopiedFile{Size: info.Size, Cut: cut}, nil
}

// NoCopy puts the reason why there is no copy in its place.
func NoCopy(to, why string) error {
	return publish(to, func(string) (Copied, error) { return Copied{Note: why}, nil })
}

// absent says why there is nothing to copy; empty if there is.
func (j *Journal) absent(ctx context.Context) (why string, err error) {
	for _, dir := range []string{path.Dir(j.folder), j.folder} {
		info, err := j.files.Stat(ctx, dir)
		switch {
		case errors.Is(err, sandbox.NotFound):
			return "the sandbox held no journal of this run any more", nil
		case err != nil:
			return "", fmt.Errorf("look for journal %s: %w", j.folder, err)
		case info.Kind != sandbox.KindDir:
			return fmt.Sprintf("the journal's folder was replaced by a %s, which isn't followed", kindWord(info.Kind)), nil
		}
	}
	// It is ours, whatever the agent has made of its mode.
	_ = j.files.Chmod(ctx, j.folder, 0o700)
	return "", nil
}

func kindWord(k sandbox.FileKind) string {
	if k == sandbox.KindOther {
		return "pipe, socket or device"
	}
	return string(k)
}

// Remove removes the journal from the sandbox, with all that lies beside it in
// its folder. What was removed already is no error.
func (j *Journal) Remove(ctx context.Context) error {
	info, err := j.files.Stat(ctx, path.Dir(j.folder))
	if errors.Is(err, sandbox.NotFound) || err == nil && info.Kind != sandbox.KindDir {
		return nil // there is none, or the agent put something else there: that isn't ours
	}
	if err == nil {
		err = j.files.Remove(ctx, j.folder)
	}
	if err != nil {
		return fmt.Errorf("remove journal %s: %w", j.folder, err)
	}
	return nil
}

// publish makes a folder under another name and moves it into place.
func publish(to string, fill func(dir string) (Copied, error)) error {
	if HasCopy(to) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("make folder for journal: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+".new-") // 0700
	if err != nil {
		return fmt.Errorf("make folder for journal: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c, err := fill(dir)
	if err != nil {
		return err
	}
	c.At = time.Now().UTC()
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("describe copy of journal: %w", err)
	}
	for name, data := range map[string][]byte{manifest: append(text, '\n'), unremoved: nil} {
		if err := writeSynced(filepath.Join(dir, name), bytes.NewReader(data)); err != nil {
			return fmt.Errorf("write copy of journal: %w", err)
		}
	}
	if err := errors.Join(syncDir(dir), os.Rename(dir, to)); err != nil {
		if HasCopy(to) { // somebody was faster
			return nil
		}
		return fmt.Errorf("write copy of journal: %w", err)
	}
	sweep(to)
	return syncDir(filepath.Dir(to))
}

// sweep removes what copies that were interrupted left behind.
func sweep(to string) {
	left, err := filepath.Glob(to + ".new-*")
	if err != nil {
		return // a pattern of ours; what stays does no harm
	}
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
}
