package plugins

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// kept is what one host process has learned of a plugin's program and the next
// ones take over. It says nothing of whether the program may be run.
type kept struct {
	Program     identity        `json:"program"`
	SHA256      string          `json:"sha256"`
	Description json.RawMessage `json:"description"` // as the program printed it: a later host may read more in it
}

// keptFolder is in Options.Home.
const keptFolder = "cache/plugins"

// A file of it is no longer than this, and there are no more than so many: the
// oldest go.
const (
	maxKept      = 256 << 10
	maxKeptFiles = 64
)

func keptName(program string) string {
	sum := sha256.Sum256([]byte(program))
	return path.Join(keptFolder, hex.EncodeToString(sum[:16])+".json")
}

// recall returns what is kept of a program, if it is of this very file. A file
// that is damaged, of somebody else's or open to others is as good as none.
func (p *Plugins) recall(program identity) (d Description, sum string, ok bool) {
	if p.opts.Home == "" {
		return d, "", false
	}
	root, err := os.OpenRoot(p.opts.Home)
	if err != nil {
		return d, "", false
	}
	defer func() { _ = root.Close() }() // read only
	data, ok := readOwn(root, keptName(program.Path))
	if !ok {
		return d, "", false
	}
	var k kept
	if err := json.Unmarshal(data, &k); err != nil || k.Program != program || !isSum(k.SHA256) {
		return d, "", false
	}
	d, err = plugin.ParseDescription(k.Description)
	return d, k.SHA256, err == nil
}

// readOwn reads a small file that this user alone may write, and nothing else:
// no link, no pipe.
func readOwn(root *os.Root, name string) ([]byte, bool) {
	entry, err := root.Lstat(name)
	if err != nil || !entry.Mode().IsRegular() {
		return nil, false
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil || !os.SameFile(entry, info) || !private(info) {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKept))
	return data, err == nil
}

func isSum(s string) bool {
	sum, err := hex.DecodeString(s)
	return err == nil && len(sum) == sha256.Size
}

// same reports whether a running program is the one that a kept description is
// of. What depends on the machine, as its kill scope, isn't compared.
func same(a, b Description) bool {
	return bytes.Equal(essence(a), essence(b))
}

func essence(d Description) []byte {
	out, err := json.Marshal(Description{
		Kind: d.Kind, Type: d.Type, Version: d.Version, SDK: d.SDK, Protocols: d.Protocols, Schema: d.Schema, Env: d.Env,
	})
	if err != nil {
		return nil // it came out of JSON
	}
	return out
}
