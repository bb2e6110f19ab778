package runs

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// BootID identifies this boot of this machine; empty where it can't be told.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// boot is BootID with our namespace of pids: containers of one machine that share
// a store don't see each other's processes.
func boot() string {
	id := BootID()
	if space, err := os.Readlink("/proc/self/ns/pid"); err == nil && id != "" {
		id += " " + space
	}
	return id
}

// startTime is when a process started, in the kernel's ticks; "gone" if there
// is no such process or only its corpse, empty where it can't be told.
func startTime(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if os.IsNotExist(err) {
		return "gone"
	}
	if err != nil {
		return ""
	}
	// The name, in brackets, may hold anything; fields are counted after it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return ""
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return "gone"
	}
	return string(fields[19])
}
