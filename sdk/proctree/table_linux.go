package proctree

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// table reads the process table again and again. A mark can only be inherited
// or brought by an exec of a member, so a process that was seen with an
// unmarked environment isn't looked at again: its parents, session and cgroup
// tell whether it is a member.
type table struct {
	marks    marks
	unmarked map[ident]bool
	buf      []byte
	pidNS    string // of this process
}

func newTable(m marks) *table {
	t := &table{marks: m, unmarked: map[ident]bool{}, buf: make([]byte, 64<<10)}
	t.pidNS, _ = os.Readlink("/proc/self/ns/pid")
	return t
}

// read returns every process but the kernel's.
func (t *table) read() ([]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	procs := make([]proc, 0, len(names))
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		line := t.slurp(int(dir.Fd()), name+"/stat")
		p, ok := parseStat(line)
		if !ok || p.kernel {
			continue
		}
		if !t.unmarked[p.ident] {
			env := t.slurp(int(dir.Fd()), name+"/environ")
			p.marked = t.marked(env, name)
			// An empty one may be that of a process in the middle of its exec.
			if !p.marked && len(env) > 0 {
				t.unmarked[p.ident] = true
			}
		}
		procs = append(procs, p)
	}
	return procs, nil
}

// marked trusts the id alone only within our own pid namespace: a container
// of this machine may use the same one.
func (t *table) marked(env []byte, pid string) bool {
	switch t.marks.match(env) {
	case markedTree:
		return true
	case markedBare:
		ns, err := os.Readlink("/proc/" + pid + "/ns/pid")
		return err == nil && ns == t.pidNS
	}
	return false
}

// slurp reads a file under /proc into the table's buffer; what can't be read
// is empty. It makes no os.File: that costs more than the read.
func (t *table) slurp(dir int, name string) []byte {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n := 0
	for {
		if n == len(t.buf) {
			t.buf = append(t.buf, make([]byte, len(t.buf))...)
		}
		k, err := unix.Read(fd, t.buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || k <= 0 {
			return t.buf[:n]
		}
		n += k
	}
}
