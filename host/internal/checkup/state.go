package checkup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// Below these the next run may not have the space it needs.
const (
	fewBytes = 1 << 30   // a warning
	noBytes  = 100 << 20 // a problem
)

// elsewhere is the fix for a state folder that can't be one.
const elsewhere = `export SANDLOT_HOME="$HOME/sandlot-state"`

// state looks at the folder that all else is in.
func (m *Machine) state(_ context.Context, l *list) {
	info := m.folder(l, writable)
	if info == nil {
		return
	}
	if perm := info.Mode().Perm(); runtime.GOOS != "windows" && perm&0o077 != 0 {
		level, what := Warning, "read"
		if perm&0o022 != 0 {
			level, what = Problem, "write"
		}
		l.add(level, fmt.Sprintf("others may %s %s (mode %04o)", what, m.Home, perm), "chmod 700 "+word(m.Home))
	}
	m.space(l, m.Home, m.Home+" can be written")
}

// StateFolder is what keeps anything from being put into the state folder; none:
// nothing does. It changes nothing.
func (m *Machine) StateFolder() []Finding {
	l := &list{check: "state"}
	m.folder(l, mayWrite)
	return slices.DeleteFunc(l.all, func(f Finding) bool { return f.Level != Problem })
}

// folder looks whether the state folder is there and can be written; nil: it isn't.
func (m *Machine) folder(l *list, write func(dir string) error) fs.FileInfo {
	info, err := os.Stat(m.Home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.unmade(l)
		return nil
	case err != nil:
		l.add(Problem, fmt.Sprintf("%s can't be looked at: %v", m.Home, err), elsewhere)
		return nil
	case !info.IsDir():
		l.add(Problem, m.Home+" is no folder", elsewhere)
		return nil
	}
	if err := write(m.Home); err != nil {
		fix := "chmod u+rwx " + word(m.Home)
		if errors.Is(err, syscall.EROFS) || !mine(info) {
			fix = elsewhere
		}
		l.unwritable(m.Home, err, fix)
		return nil
	}
	return info
}

// unmade looks whether the folder could be made.
func (m *Machine) unmade(l *list) {
	at := m.Home
	for {
		if to, err := os.Readlink(at); err == nil { // at isn't there, or leads to a folder
			if _, err := os.Stat(at); err != nil {
				l.add(Problem, fmt.Sprintf("%s can't be made: %s is a link to %s, which isn't there", m.Home, at, to), elsewhere)
				return
			}
		}
		up := filepath.Dir(at)
		info, err := os.Stat(up)
		if err == nil && !info.IsDir() {
			l.add(Problem, fmt.Sprintf("%s can't be made: %s is no folder", m.Home, up), elsewhere)
			return
		}
		if err == nil {
			at = up
			break
		}
		if up == at {
			l.add(Problem, fmt.Sprintf("%s can't be made: %v", m.Home, err), elsewhere)
			return
		}
		at = up
	}
	if err := mayWrite(at); err != nil {
		l.add(Problem, fmt.Sprintf("%s can't be made: %s can't be written: %v", m.Home, at, err), elsewhere)
		return
	}
	m.space(l, at, m.Home+" isn't there yet; the first run makes it")
}

// space tells the free space of a folder's disk.
func (m *Machine) space(l *list, dir, message string) {
	free, remote, err := disk(dir)
	if err != nil {
		l.add(Note, fmt.Sprintf("%s; its free space can't be told: %v", message, err), "")
		return
	}
	if remote != "" {
		l.add(Warning, fmt.Sprintf("%s is on a network file system (%s), where the locks of the store may not hold", dir, remote),
			"export SANDLOT_HOME to a folder on a local disk")
	}
	switch text := bytes(free) + " free"; {
	case free < noBytes:
		l.add(Problem, fmt.Sprintf("the disk of %s is nearly full: %s", dir, text), "sandlot gc")
	case free < fewBytes:
		l.add(Warning, fmt.Sprintf("the disk of %s has little space: %s", dir, text), "sandlot gc")
	default:
		l.add(OK, message+", "+text, "")
	}
}

func bytes(n uint64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// writable tries to make a file in a folder, and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".sandlot-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// unwritable says why a folder can't be written.
func (l *list) unwritable(dir string, err error, fix string) {
	reason := errors.Unwrap(err)
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		reason = errors.Unwrap(joined.Unwrap()[0])
	}
	if reason == nil {
		reason = err
	}
	if errors.Is(err, syscall.ENOSPC) {
		fix = "remove something from the disk of " + word(dir)
	}
	l.add(Problem, fmt.Sprintf("%s can't be written: %v", dir, reason), fix)
}
