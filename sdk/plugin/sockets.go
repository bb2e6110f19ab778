package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/process"
)

// maxSocketPath is what a socket's path may have: systems allow 104 or 108
// bytes, its end included.
const maxSocketPath = 100

// socketName is what go-plugin adds: a folder, and in it the socket. The
// numbers it puts there have ten digits at most.
const socketName = "/plugin-dir1234567890/plugin1234567890"

// freshPrefix begins the name of a fresh folder; the host's mark follows.
const freshPrefix = "sandlot-"

// sockets is the folder of one launch's socket.
type sockets struct {
	base  string
	fresh bool   // base was made for this launch
	dir   string // made by go-plugin in base
}

func makeSockets(dir string) (*sockets, error) {
	if dir != "" && len(dir)+len(socketName) <= maxSocketPath {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make socket folder: %w", err)
		}
		return &sockets{base: dir}, nil
	}
	root := os.TempDir()
	if len(root)+len("/sandlot-1234567.1z141z3-1234567890")+len(socketName) > maxSocketPath {
		root = "/tmp"
	}
	base, err := os.MkdirTemp(root, freshPrefix+mark()+"-")
	if err != nil {
		return nil, fmt.Errorf("make socket folder: %w", err)
	}
	return &sockets{base: base, fresh: true}, nil
}

// made tells of the folder that go-plugin has made: it doesn't always remove it.
func (s *sockets) made(dir string) { s.dir = dir }

func (s *sockets) remove() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // a sweep finds what stays
	}
	if s.fresh {
		_ = os.RemoveAll(s.base)
	}
}

// mark is this host process in the name of a folder: its id, and the namespace
// in which that is its id.
func mark() string {
	mark := strconv.Itoa(os.Getpid())
	if space := process.Space(); space != "" {
		mark += "." + space
	}
	return mark
}

// HostSockets is the folder of this host process's sockets in a folder that
// several share: it bears the process's mark, so that SweepSockets can tell.
func HostSockets(shared string) string { return filepath.Join(shared, mark()) }

// SweepSockets removes the folders that DeadSockets finds; what it can't remove
// stays.
func SweepSockets(shared string) {
	for _, dir := range DeadSockets(shared) {
		_ = os.RemoveAll(dir)
	}
}

// DeadSockets are the socket folders of host processes that have died: those in
// shared (see HostSockets) and fresh ones in the temporary directory. Those of
// other users, and of other containers, whose processes it doesn't see, aren't
// among them.
func DeadSockets(shared string) []string {
	return append(dead(shared, ""), dead(os.TempDir(), freshPrefix)...)
}

func dead(dir, prefix string) []string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil // no folder, nothing to find
	}
	var found []string
	for _, e := range list {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		host, _, fresh := strings.Cut(rest, "-")
		id, space, _ := strings.Cut(host, ".")
		pid, err := strconv.Atoi(id)
		if !ok || err != nil || pid <= 0 || fresh != (prefix != "") || !e.IsDir() || space != process.Space() || process.Alive(pid) {
			continue
		}
		if info, err := e.Info(); err != nil || !process.Mine(info) {
			continue // also root's are for root to remove, and a user's for that user
		}
		found = append(found, filepath.Join(dir, e.Name()))
	}
	return found
}
