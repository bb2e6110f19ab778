package plugins

import (
	"os"
	"time"
)

// fileKey tells one content of a file from another without reading it, for as
// long as this process runs.
type fileKey struct {
	path  string
	size  int64
	time  time.Time
	inode uint64 // 0 where there are none
}

func keyOf(path string, info os.FileInfo) fileKey {
	return fileKey{path: path, size: info.Size(), time: info.ModTime(), inode: inode(info)}
}

// identity is that of a file for longer than one process. Unlike a file's time,
// that of its change can't be set: whatever is written into the file, or renamed
// to its place or away from it, has another one.
type identity struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Time   int64  `json:"mtime_ns"`
	Change int64  `json:"ctime_ns"`
	Inode  uint64 `json:"inode"`
	Device uint64 `json:"device"`
}

// identify returns the identity of a file. false: this system has no time of a
// change, so that there is none to rely on.
func identify(path string, info os.FileInfo) (identity, bool) {
	change, device, ok := change(info)
	return identity{
		Path: path, Size: info.Size(), Time: info.ModTime().UnixNano(), Change: change.UnixNano(), Inode: inode(info), Device: device,
	}, ok
}

// settling is how old a file must be for its identity to be one. Clocks of files
// tick up to every 10 ms, on some file systems every 2 s: two changes in one tick
// can't be told apart.
const settling = 2 * time.Second

// settled reports whether a change of the file after now, when it was looked at,
// would be seen.
func (i identity) settled(now time.Time) bool {
	return now.UnixNano()-max(i.Time, i.Change) > settling.Nanoseconds()
}

// still reports whether the path leads to the same file, unchanged.
func (i identity) still() bool {
	info, err := os.Stat(i.Path)
	if err != nil {
		return false
	}
	now, ok := identify(i.Path, info)
	return ok && now == i
}
