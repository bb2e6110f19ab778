package plugins

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// keep writes what was learned of a program for later processes. It makes no
// Home; where it can't write there is nothing to tell: the next process asks.
func (p *Plugins) keep(k kept) {
	if p.opts.Home == "" || p.opts.Traceless {
		return
	}
	data, err := json.Marshal(k)
	if err != nil || len(data) > maxKept {
		return
	}
	root, err := os.OpenRoot(p.opts.Home)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing is written through it itself
	if err := root.MkdirAll(keptFolder, 0o700); err != nil {
		return
	}
	name := keptName(k.Program.Path)
	temp := path.Join(keptFolder, keptTemp+rand.Text())
	if err := writeNew(root, temp, data); err != nil {
		_ = root.Remove(temp)
		return
	}
	if err := root.Rename(temp, name); err != nil {
		_ = root.Remove(temp)
		return
	}
	pruneKept(root, time.Now())
}

// keptTemp starts the name of a file that is being written.
const keptTemp = ".new-"

// writeNew writes a file of nobody else's. It isn't synced: one that a crash of
// the machine cuts off is damaged, and written again.
func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close() // the write's error says more
		return err
	}
	return f.Close()
}

// forget drops what is kept of a program.
func (p *Plugins) forget(program string) {
	if p.opts.Home == "" || p.opts.Traceless {
		return
	}
	root, err := os.OpenRoot(p.opts.Home)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing is written through it itself
	_ = root.Remove(keptName(program))
}

// tempPatience is how long a file may be in the writing; its writer is dead then.
const tempPatience = time.Hour

// pruneKept bounds the folder: the oldest go.
func pruneKept(root *os.Root, now time.Time) {
	entries, err := fs.ReadDir(root.FS(), keptFolder)
	if err != nil {
		return
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, e := range entries {
		info, err := e.Info()
		switch name := path.Join(keptFolder, e.Name()); {
		case err != nil || info.IsDir():
		case !strings.HasPrefix(e.Name(), keptTemp):
			files = append(files, file{name, info.ModTime()})
		case now.Sub(info.ModTime()) > tempPatience:
			_ = root.Remove(name)
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.name, b.name)) })
	for _, f := range files[min(len(files), maxKeptFiles):] {
		_ = root.Remove(f.name)
	}
}
