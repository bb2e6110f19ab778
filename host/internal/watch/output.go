package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// output takes apart what the diff script prints, as it comes: a line with
// sizes, that many bytes of names, a line of counts for each file, an empty
// line, and the patch.
type output struct {
	patch   io.Writer
	changes Changes
	err     error // of patch

	step   step
	buf    []byte // what is not taken apart yet
	failed int    // git's exit code
	sizes  [3]int // of errors, nested, large
}

type step int

const (
	stepSizes step = iota
	stepNames
	stepCounts
	stepPatch
)

const maxHead = 16 << 20 // bytes of names and of a line

// Write takes the next piece. After an error it takes no more.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n := len(b)
	if o.step < stepPatch {
		o.buf = append(o.buf, b...)
		more := true
		for more && o.err == nil {
			more, o.err = o.next()
		}
		if o.err == nil && o.step < stepPatch && len(o.buf) > maxHead {
			o.err = errors.New("the list of files has no end")
		}
		b = nil
		if o.step == stepPatch {
			b, o.buf = o.buf, nil
		}
	}
	if o.err == nil && len(b) > 0 {
		_, o.err = o.patch.Write(b)
	}
	if o.err != nil {
		return 0, o.err
	}
	return n, nil
}

// next takes apart one part of the head. It is false where more is needed.
func (o *output) next() (bool, error) {
	switch o.step {
	case stepSizes:
		line, ok := o.line()
		if !ok {
			return false, nil
		}
		o.step = stepNames
		_, err := fmt.Sscan(line, &o.failed, &o.sizes[0], &o.sizes[1], &o.sizes[2])
		if err != nil || slices.Min(o.sizes[:]) < 0 || slices.Max(o.sizes[:]) > maxHead {
			return false, fmt.Errorf("the script printed %q", line[:min(len(line), 200)])
		}
		return true, nil
	case stepNames:
		all := o.sizes[0] + o.sizes[1] + o.sizes[2]
		if len(o.buf) < all {
			return false, nil
		}
		errs, rest := o.buf[:o.sizes[0]], o.buf[o.sizes[0]:all]
		if o.failed != 0 {
			o.changes.Errors = strings.ToValidUTF8(string(bytes.TrimSpace(errs)), "\uFFFD")
		}
		o.changes.Nested, o.changes.Large = names(rest[:o.sizes[1]]), names(rest[o.sizes[1]:])
		o.buf, o.step = o.buf[all:], stepCounts
		return true, nil
	case stepCounts:
		line, ok := o.line()
		switch {
		case !ok:
			return false, nil
		case line == "":
			o.step = stepPatch
		default:
			o.count(line)
		}
		return true, nil
	}
	return false, nil
}

func (o *output) line() (string, bool) {
	line, rest, ok := bytes.Cut(o.buf, []byte("\n"))
	if ok {
		o.buf = rest
	}
	return string(line), ok
}

// count adds a line of --numstat: added, removed, name; "-" for binary files.
func (o *output) count(line string) {
	added, rest, _ := strings.Cut(line, "\t")
	removed, _, _ := strings.Cut(rest, "\t")
	a, _ := strconv.Atoi(added)
	r, _ := strconv.Atoi(removed)
	o.changes.Files, o.changes.Added, o.changes.Removed = o.changes.Files+1, o.changes.Added+a, o.changes.Removed+r
}

// end makes sure that all parts were there.
func (o *output) end() error {
	if o.step < stepCounts || o.step == stepCounts && (o.changes.Files > 0 || len(o.buf) > 0) {
		return errors.New("what the script printed has no end")
	}
	return nil
}

// names splits a list of names that end with NUL.
func names(list []byte) []string {
	if len(list) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
}
