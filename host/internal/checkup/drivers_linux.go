package checkup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// drivers are the processes of this program that drive runs.
func drivers(executable string) (found []driver) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || exe != executable {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if args := strings.Split(string(cmdline), "\x00"); err == nil && len(args) > 2 && args[1] == "drive" {
			found = append(found, driver{pid, args[2]})
		}
	}
	return found
}
