package sandbox

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Filer is a sandbox that gives access to its files.
type Filer interface {
	Files() Files
}

// Files are the files of one sandbox. Paths are real paths of the sandbox, any
// bytes but NUL; relative ones are under Info.Root. A path that the provider
// doesn't serve is Denied. NotFound is answered only where absence is proven.
type Files interface {
	// Read opens a file. With Follow, the stream goes on as the file grows and
	// ends only with ctx, Close or the file's removal.
	Read(ctx context.Context, path string, opts ReadOptions) (io.ReadCloser, error)

	// Write replaces a file by what r holds, atomically: a reader sees the old
	// content or the new, and a failure leaves the old. Missing parents are
	// made. It returns after the content is complete.
	Write(ctx context.Context, path string, r io.Reader, opts WriteOptions) error

	// Stat never follows a link in the last element.
	Stat(ctx context.Context, path string) (FileInfo, error)

	// List tells the entries of a folder, sorted by name, links not followed.
	List(ctx context.Context, path string) ([]FileInfo, error)

	// Mkdir makes a folder and its parents; one that exists is no error.
	Mkdir(ctx context.Context, path string, mode fs.FileMode) error

	// Rename moves a file or folder, replacing a file that stands there.
	Rename(ctx context.Context, from, to string) error

	// Remove removes a file or a folder with all in it. What is absent is no
	// error; the root itself is refused as Invalid.
	Remove(ctx context.Context, path string) error

	// Chmod sets permission bits.
	Chmod(ctx context.Context, path string, mode fs.FileMode) error

	// Pull writes a folder or file as one tar stream into w. Names in the
	// stream are relative to path.
	Pull(ctx context.Context, path string, w io.Writer) error

	// Push unpacks a tar stream under the folder path, which is made if need
	// be. Members that would leave it are refused as Invalid.
	Push(ctx context.Context, path string, r io.Reader) error
}

// ReadOptions for Files.Read.
type ReadOptions struct {
	Offset int64 // first byte
	Limit  int64 // bytes at most; 0: to the end
	Follow bool  // go on as the file grows
}

// WriteOptions for Files.Write.
type WriteOptions struct {
	Mode fs.FileMode // permission bits; 0: keep those of the old file, 0644 for a new one
}

// FileInfo describes one entry of the file system.
type FileInfo struct {
	Name    string // last element of the path, any bytes
	Kind    FileKind
	Mode    fs.FileMode // permission bits only
	Size    int64       // bytes; of a link, the length of its target
	ModTime time.Time
	Target  string // where a link points; empty for others
}

// FileKind is the kind of an entry.
type FileKind string

// The kinds of entries.
const (
	KindFile  FileKind = "file"
	KindDir   FileKind = "dir"
	KindLink  FileKind = "link"
	KindOther FileKind = "other"
)
