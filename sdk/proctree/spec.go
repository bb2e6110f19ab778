package proctree

import (
	"fmt"
	"os"
	"strings"
)

// Spec is a process to start.
type Spec struct {
	ID   string   // 1 to 256 bytes without NUL; unique among living trees of the forest
	Argv []string // Argv[0] is looked up in Env's PATH if it has no slash
	Dir  string   // working directory, must exist; empty: the caller's
	Env  []string // whole environment, NAME=value; the marks are added
	User string   // name or uid[:gid]; empty: the caller's

	// Stdin, Stdout and Stderr are handed to the process as they are; nil is
	// /dev/null. The caller keeps and closes its own copies.
	Stdin, Stdout, Stderr *os.File

	// TTY makes Stdin, which must be a terminal then, the controlling one of the
	// process's session.
	TTY bool

	// Bound means that the tree is of no use without its starter: once that is
	// gone, [Forest.Reap] ends it. Default false: only Kill and Close do.
	Bound bool

	// Leashed means that the process, not what it has started, ends with its starter
	// at once: the kernel kills it. On Linux only; default false.
	Leashed bool
}

func (s Spec) check() error {
	if err := checkID(s.ID); err != nil {
		return err
	}
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return fmt.Errorf("%w: no command", ErrInvalid)
	}
	for _, list := range [][]string{s.Argv, s.Env, {s.Dir}} {
		for _, v := range list {
			if strings.IndexByte(v, 0) >= 0 {
				return fmt.Errorf("%w: NUL byte in argument, environment or directory", ErrInvalid)
			}
		}
	}
	if s.Dir == "" {
		return nil
	}
	// Checked here, since a failing chdir in the child looks like a missing program.
	if st, err := os.Stat(s.Dir); err != nil {
		return fmt.Errorf("%w: %w", ErrNoDir, err)
	} else if !st.IsDir() {
		return fmt.Errorf("%w: %s is not a directory", ErrNoDir, s.Dir)
	}
	return nil
}
