package secrets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// readFile reads the value that a file holds.
func readFile(path string) (string, *Problem) {
	// Without blocking: a named pipe would wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", wrong("create it, or correct `file` in its secret block", "the file %s doesn't exist", path)
	case errors.Is(err, fs.ErrPermission):
		return "", wrong("give yourself the right to read it", "the file %s can't be read: permission denied", path)
	case err != nil:
		return "", wrong("look at it", "the file %s can't be read: %s", path, cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", wrong("look at it", "the file %s can't be read: %s", path, cause(err))
	case info.IsDir():
		return "", wrong("name the file in it that holds the value", "%s is a folder", path)
	case !info.Mode().IsRegular():
		return "", wrong("name a regular file, or use `command`", "%s is no regular file but a %s", path, kind(info.Mode()))
	}
	data, err := io.ReadAll(io.LimitReader(f, longest+1))
	switch {
	case err != nil:
		return "", wrong("look at it", "the file %s can't be read: %s", path, cause(err))
	case len(data) > longest:
		return "", wrong("name a file with the value and nothing else", "the file %s has more than %d bytes, too many for a secret", path, longest)
	case line(data) == "":
		return "", wrong("write the value into it", "the file %s is empty", path)
	}
	return line(data), nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "special file"
}

// cause is what an error says beside the path, which is told already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Exposed says who else can read the file of a source; empty: nobody, there is
// none, or it can't be told.
func (s Source) Exposed() string {
	if s.File == "" {
		return ""
	}
	mode, yes := othersRead(s.File)
	if !yes {
		return ""
	}
	return fmt.Sprintf("every user of this machine can read the file %s (mode %04o)", s.File, mode)
}

// Hide is the command that keeps others from reading the file of a source.
func (s Source) Hide() string {
	name := s.File
	if plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"); plain != "" {
		name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return "chmod o-r " + name
}
