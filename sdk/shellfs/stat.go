package shellfs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Stat asks stat.
func (f files) Stat(ctx context.Context, p string) (sandbox.FileInfo, error) {
	what := "stat " + quoted(p)
	e, err := f.entry(p)
	if err != nil {
		return sandbox.FileInfo{}, prefix(what, err)
	}
	m := newMark()
	out, err := f.run(ctx, call{what: what, script: statScript, args: []string{e.folder, e.name, m.format(), m.end()}})
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	list, err := m.parse(what, bytes.NewReader(out))
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	if len(list) != 1 {
		return sandbox.FileInfo{}, sandbox.Errorf(sandbox.Internal, "%s: the sandbox's stat answers %d times", what, len(list))
	}
	info := list[0]
	info.Name = path.Base(path.Clean("/" + p)) // e.name is "." for a served folder
	if e.name != "." {
		info.Name = e.name
	}
	return info, nil
}

// mark is what no name in the sandbox holds: it takes the answer of stat apart,
// in which names may have newlines and anything else but NUL.
type mark string

func newMark() mark { return mark("~" + rand.Text() + "~") }

// format is for stat -c: mode in hex, size, time twice, name, and name with
// target. The file's own time has no fraction of a second in coreutils.
func (m mark) format() string {
	s := string(m)
	return s + "%f %s %Y %y" + s + "%n" + s + "%N" + s
}

func (m mark) end() string { return string(m) + "end" }

// Bounds of an answer: names have 255 bytes and targets 4095 on every system
// there is.
const (
	maxField   = 64 << 10
	maxEntries = 2_000_000
)

// parse reads answers of stat and the end. Without the end they were cut off. An
// error of r is returned as it is; others begin with what.
func (m mark) parse(what string, r io.Reader) ([]sandbox.FileInfo, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var list []sandbox.FileInfo
	_, err := m.next(what, in) // nothing comes before the first mark
	for err == nil {
		var fields [3]string
		fields[0], err = m.next(what, in)
		if errors.Is(err, io.EOF) && fields[0] == "end" {
			return list, nil
		}
		for i := 1; err == nil && i < len(fields); i++ {
			fields[i], err = m.next(what, in)
		}
		if err == nil {
			_, err = m.next(what, in) // the newline
		}
		if err != nil {
			break
		}
		info, err := entryOf(fields[0], fields[1], fields[2])
		if err != nil {
			return nil, prefix(what, err)
		}
		if len(list) == maxEntries {
			return nil, sandbox.Errorf(sandbox.Exhausted, "%s: it has more than %d entries", what, maxEntries)
		}
		list = append(list, info)
	}
	if errors.Is(err, io.EOF) {
		err = sandbox.Errorf(sandbox.Unavailable, "%s: the answer was cut off", what)
	}
	return nil, err
}

// next reads up to the next mark, which it takes away; at the end of the input it
// returns what is left, with io.EOF.
func (m mark) next(what string, in *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := in.ReadSlice(m[len(m)-1])
		b = append(b, part...)
		switch {
		case bytes.HasSuffix(b, []byte(m)):
			return string(b[:len(b)-len(m)]), nil
		case len(b) > maxField:
			return "", sandbox.Errorf(sandbox.Internal, "%s: the sandbox's stat answers with more than %d bytes at once", what, maxField)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return string(b), err
		}
	}
}

// entryOf makes an entry of what stat says of it.
func entryOf(facts, name, linked string) (sandbox.FileInfo, error) {
	bad := func() (sandbox.FileInfo, error) {
		return sandbox.FileInfo{}, sandbox.Errorf(sandbox.Internal, "the sandbox's stat answers %.200q, %.200q, %.200q", facts, name, linked)
	}
	f := strings.SplitN(facts, " ", 4)
	if len(f) != 4 {
		return bad()
	}
	mode, err := strconv.ParseUint(f[0], 16, 32)
	if err != nil {
		return bad()
	}
	size, err := strconv.ParseUint(f[1], 10, 63)
	if err != nil {
		return bad()
	}
	seconds, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || seconds > 1<<40 || seconds < -1<<40 {
		return bad()
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base == "" || strings.IndexByte(base, 0) >= 0 {
		return bad()
	}
	info := sandbox.FileInfo{
		Name: base, Kind: kindOf(mode), Mode: fs.FileMode(mode & 0o777), Size: int64(size),
		ModTime: time.Unix(seconds, nanoseconds(f[3])),
	}
	if info.Kind == sandbox.KindLink {
		target, ok := targetOf(name, linked)
		if !ok {
			return bad()
		}
		info.Target, info.Size = target, int64(len(target))
	}
	return info, nil
}

func kindOf(mode uint64) sandbox.FileKind {
	switch mode & 0o170000 {
	case 0o100000:
		return sandbox.KindFile
	case 0o040000:
		return sandbox.KindDir
	case 0o120000:
		return sandbox.KindLink
	}
	return sandbox.KindOther
}

// nanoseconds reads the fraction of "2026-01-02 03:04:05.678901234 +0000"; 0
// where there is none.
func nanoseconds(human string) int64 {
	_, rest, _ := strings.Cut(human, ".")
	digits, _, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || len(digits) != 9 {
		return 0
	}
	return int64(n)
}

// targetOf takes NAME -> TARGET apart, as coreutils writes it, or 'NAME' -> 'TARGET',
// as BusyBox does. Neither escapes anything.
func targetOf(name, linked string) (string, bool) {
	if target, ok := strings.CutPrefix(linked, name+" -> "); ok {
		return target, target != ""
	}
	target, ok := strings.CutPrefix(linked, "'"+name+"' -> '")
	if target, closed := strings.CutSuffix(target, "'"); ok && closed {
		return target, target != ""
	}
	return "", false
}
