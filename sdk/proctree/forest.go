package proctree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Errors that Start wraps. Each is about the request, none about the tree.
var (
	ErrInvalid       = errors.New("invalid process")                   // bad id, no argv, NUL byte
	ErrInUse         = errors.New("a process with this id is running") // or what it left is
	ErrNoDir         = errors.New("no such directory")                 // Spec.Dir isn't there
	ErrNotFound      = errors.New("command not found")                 // a shell's 127
	ErrNotExecutable = errors.New("command not executable")            // a shell's 126
	ErrClosed        = errors.New("the process directory is closed")   // by Close
	ErrUnsupported   = errors.New("process trees are unsupported on this system")
)

// Scope says what holds a tree together.
type Scope string

const (
	ScopeCgroup Scope = "cgroup" // nothing escapes but what root moves out by hand
	ScopeMark   Scope = "mark"   // session, descendants and environment marks
)

// Liveness is the answer of Alive.
type Liveness int

const (
	Unknown Liveness = iota // couldn't be found out
	Yes
	No // proven: ended, a zombie, or never there
)

// String returns "unknown", "yes" or "no".
func (l Liveness) String() string {
	return [...]string{"unknown", "yes", "no"}[l]
}

// Options of a Forest.
type Options struct {
	// MarksOnly never uses a cgroup, even where one could be made. Default false.
	MarksOnly bool
}

// Forest is the set of trees that share one state directory. It keeps nothing
// in memory: any number of them, in any process, may be open on one directory.
type Forest struct {
	dir    string   // state directory, absolute, links resolved
	key    string   // names the directory in marks and cgroups
	boot   string   // id of this boot
	self   *starter // this program
	cgroup string   // parent of the trees' cgroups; empty: marks only

	beforeFork func() // tests stop a start here
}

// Open returns the forest of stateDir, which must exist and be private to the
// user. It makes no files.
func Open(stateDir string, o Options) (*Forest, error) {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return nil, fmt.Errorf("open process directory: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("open process directory: %w", err)
	}
	return forest(dir, o), nil
}

func forest(dir string, o Options) *Forest {
	f := &Forest{dir: dir, key: hash(dir)[:16], boot: bootID(), self: thisStarter()}
	if !o.MarksOnly {
		f.cgroup = ownCgroup()
	}
	return f
}

// Scope tells what holds the trees that this Forest starts.
func (f *Forest) Scope() Scope {
	if f.cgroup != "" {
		return ScopeCgroup
	}
	return ScopeMark
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func checkID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: empty id", ErrInvalid)
	case len(id) > 256:
		return fmt.Errorf("%w: id of %d bytes, at most 256 are allowed", ErrInvalid, len(id))
	case strings.IndexByte(id, 0) >= 0:
		return fmt.Errorf("%w: NUL byte in id", ErrInvalid)
	}
	return nil
}
