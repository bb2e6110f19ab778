package proctree

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const cgroupPrefix = "sandlot-"

// ownCgroup returns the folder of this process's own cgroup v2 if children can
// be made in it and killed as one; else nothing. Trees started by a process of
// a tree lie in that tree's cgroup, and die with it.
func ownCgroup() string {
	mounts, err1 := os.ReadFile("/proc/self/mountinfo")
	self, err2 := os.ReadFile("/proc/self/cgroup")
	if err1 != nil || err2 != nil {
		return ""
	}
	dir := cgroupDir(mounts, self)
	// Moving a child needs the right to write here, not only in its new home.
	if dir == "" || unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) != nil {
		return ""
	}
	probe, err := os.MkdirTemp(dir, cgroupPrefix+"probe-")
	if err != nil {
		return ""
	}
	defer os.Remove(probe)
	if _, err := os.Stat(filepath.Join(probe, "cgroup.kill")); err != nil {
		return "" // before Linux 5.14
	}
	return dir
}

// cgroupDir finds the cgroup v2 of "0::<path>" under a mount of type cgroup2.
func cgroupDir(mountinfo, cgroup []byte) string {
	path := ""
	for line := range strings.Lines(string(cgroup)) {
		if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path = p
		}
	}
	if path == "" || strings.HasPrefix(path, "/..") {
		return "" // no v2, or outside of what this namespace shows
	}
	for line := range strings.Lines(string(mountinfo)) {
		head, tail, ok := strings.Cut(line, " - ")
		f := strings.Fields(head)
		if !ok || len(f) < 6 || !strings.HasPrefix(tail, "cgroup2 ") {
			continue
		}
		root, mount := unescape(f[3]), unescape(f[4])
		if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return filepath.Join(mount, rel)
		}
	}
	return ""
}

// unescape undoes mountinfo's octal escapes of blanks and backslashes.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// makeCgroup makes the cgroup, or takes an empty one left by a dead starter.
func makeCgroup(path string) (*os.File, error) {
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return openPlain(path, unix.O_RDONLY|unix.O_DIRECTORY)
}

func intoCgroup(attr *syscall.SysProcAttr, dir *os.File) {
	attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
}

// cgroupPIDs lists the processes of a cgroup and of those below it.
func cgroupPIDs(path string) []int {
	var pids []int
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(p, "cgroup.procs"))
		if err != nil {
			return nil // gone, or of threads only
		}
		for line := range strings.Lines(string(data)) {
			if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids
}

// killCgroup sends KILL to a whole cgroup. It reports false if there is none,
// or if a process in it must live: then the members are killed one by one.
func killCgroup(path string, spared map[int]bool) bool {
	for _, pid := range cgroupPIDs(path) {
		if spared[pid] {
			return false
		}
	}
	return os.WriteFile(filepath.Join(path, "cgroup.kill"), []byte("1"), 0) == nil
}

// cgroupEmpty reports whether no live process is in the cgroup or below. Some
// kernels take a moment longer to count a process out than to report its exit.
func cgroupEmpty(path string) bool {
	for _, pid := range cgroupPIDs(path) {
		if p, ok := probe(pid); ok && p.state != 'Z' && p.state != 'X' {
			return false
		}
	}
	return true
}

// cgroupEnded reports the same, and may have removed it: the kernel removes none
// in which something lives, so mostly there is no need to look.
func cgroupEnded(path string) bool {
	err := unix.Rmdir(path)
	return err == nil || err == unix.ENOENT || cgroupEmpty(path)
}

// dropCgroup removes an empty cgroup and the empty ones below it.
func dropCgroup(path string) error {
	if path == "" {
		return nil
	}
	var err error
	for wait, end := time.Millisecond, time.Now().Add(time.Second); time.Now().Before(end); wait *= 2 {
		if err = dropOnce(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		time.Sleep(wait)
	}
	return err
}

func dropOnce(path string) error {
	events, err := os.ReadFile(filepath.Join(path, "cgroup.events"))
	if err != nil {
		return err
	}
	if !bytes.Contains(events, []byte("populated 0")) {
		return fmt.Errorf("remove %s: %w", path, unix.EBUSY)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := dropOnce(filepath.Join(path, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return unix.Rmdir(path)
}

// oomKilled reports whether the kernel killed a member for want of memory.
func oomKilled(cgroup string) bool {
	if cgroup == "" {
		return false
	}
	file, err := os.Open(filepath.Join(cgroup, "memory.events"))
	if err != nil {
		return false // no memory controller here
	}
	defer file.Close()
	for sc := bufio.NewScanner(file); sc.Scan(); {
		if n, ok := strings.CutPrefix(sc.Text(), "oom_kill "); ok && n != "0" {
			return true
		}
	}
	return false
}
