package guard

import (
	"os"
	"strconv"
)

// Parent is the host as this process sees it. It must be taken before DropEnv.
type Parent struct {
	pid  int // parent at the start
	host int // what the host said its id is; 0: nothing
}

// NewParent looks who the parent is.
func NewParent() Parent {
	host, err := strconv.Atoi(os.Getenv(HostPID))
	if err != nil {
		host = 0
	}
	return Parent{pid: os.Getppid(), host: host}
}
