package proctree

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// table reads the process table again and again. A stranger doesn't turn into
// a member: marks come by birth, or by the exec of a member. So for a short
// while a number that was a stranger's isn't looked at again, which makes all
// reads but the first ten times faster.
type table struct {
	marks     marks
	pidNS     string // of this process
	strangers map[int]bool
	since     time.Time // when strangers was empty; the numbers are reused some day
	buf       []byte
}

const strangersLast = 100 * time.Millisecond

func newTable(m marks) *table {
	return &table{marks: m, buf: make([]byte, 64<<10), pidNS: pidSpace()}
}

// keep says that pid is a member, to be read each time.
func (t *table) keep(pid int) { delete(t.strangers, pid) }

// read returns every process but the kernel's and known strangers.
func (t *table) read() ([]proc, error) {
	if time.Since(t.since) > strangersLast {
		t.strangers, t.since = map[int]bool{}, time.Now()
	}
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
		pid, err := strconv.Atoi(name)
		if err != nil || t.strangers[pid] {
			continue
		}
		p, ok := parseStat(t.slurp(int(dir.Fd()), name+"/stat"))
		if !ok {
			continue
		}
		stranger := p.kernel || !p.living()
		if !stranger {
			env := t.slurp(int(dir.Fd()), name+"/environ")
			p.marked = t.marked(env, name)
			// An empty one may be that of a process in the middle of its exec.
			stranger = !p.marked && len(env) > 0
		}
		if stranger {
			t.strangers[pid] = true // unless it turns out to be a member
		}
		if !p.kernel {
			procs = append(procs, p)
		}
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
	for n := 0; ; {
		k, err := unix.Read(fd, t.buf[n:])
		if err == unix.EINTR {
			continue
		}
		if n += max(k, 0); err != nil || n < len(t.buf) {
			return t.buf[:n] // these files are never read short
		}
		t.buf = append(t.buf, make([]byte, len(t.buf))...)
	}
}
