package plugin

import (
	"fmt"
	"os"
)

// maxSocketPath is what a socket's path may have: systems allow 104 or 108
// bytes, its end included.
const maxSocketPath = 100

// socketName is what go-plugin adds: a folder, and in it the socket. The
// numbers it puts there have ten digits at most.
const socketName = "/plugin-dir1234567890/plugin1234567890"

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
	if len(root)+len("/sandlot-1234567890")+len(socketName) > maxSocketPath {
		root = "/tmp"
	}
	base, err := os.MkdirTemp(root, "sandlot-")
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
