package localfiles

import (
	"os"
	"strconv"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Folders says what paths mean. Errors have a class.
type Folders interface {
	// At opens a folder through which a path can be reached.
	At(path string, use Use) (At, error)
	// Rename moves what one path means to where the other leads. It follows no link
	// in a last element.
	Rename(from, to string) error
	// MayRemove refuses, as Invalid, to have a folder removed that the sandbox stands on.
	MayRemove(path string) error
}

// Use is what a path is asked for.
type Use struct {
	Follow bool // a link in the last element stands for what it leads to, where that may be followed
	Make   bool // folders above the last element that are missing are made
}

// At is an entry of an open folder.
type At struct {
	Root *os.Root // closed by who asked for it
	Name string   // under it; "." is Root itself
}

// New gives access to the files that paths of the folders mean.
func New(f Folders) sandbox.Files { return files{f} }

type files struct{ folders Folders }

// at is a path that is served: its folder, opened, and the rest.
type at struct {
	root *os.Root
	name string // relative to root; "." is root itself
	path string // as the caller wrote it, for messages
}

// find opens the folder that path lies in. The caller closes at.root.
func (f files) find(path string, use Use) (at, error) {
	a, err := f.folders.At(path, use)
	return at{root: a.Root, name: a.Name, path: path}, err
}

func (a at) fail(what string, err error) error {
	return Classify(what+" "+strconv.Quote(a.path), err)
}
