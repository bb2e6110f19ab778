package process

import (
	"os"
	"strconv"
	"strings"
)

// Space names the namespace that this process's id belongs to; containers of one
// machine that share a folder each have their own ids. Empty where it can't be told.
func Space() string {
	link, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	if err != nil {
		return ""
	}
	inode, err := strconv.ParseUint(strings.Trim(strings.TrimPrefix(link, "pid:"), "[]"), 10, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(inode, 36)
}
