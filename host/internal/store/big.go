package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
)

// A payload over bigLimit doesn't go into its row: only its start does, and the whole into a file.
const (
	bigLimit = 1 << 20
	bigStart = 64 << 10
)

func bigName(run string, seq int64) string {
	return path.Join("runs", run, "big", strconv.FormatInt(seq, 10))
}

// shorten gives what goes into the row for a payload, and the name of the file that holds it whole (nil if the row
// does). The file is on disk before the transaction commits; if that fails it is removed. After a crash in between
// there is a file without a row, which the next event of that number overwrites.
func (s *Store) shorten(t *tx, run string, seq int64, payload []byte) (start []byte, big any, err error) {
	if payload == nil {
		payload = []byte{}
	}
	if len(payload) <= bigLimit {
		return payload, nil, nil
	}
	name := bigName(run, seq)
	t.onFailure(func() { _ = s.root.Remove(name) })
	if err := s.writeBig(name, payload); err != nil {
		return nil, nil, fmt.Errorf("write payload %s: %w", name, err)
	}
	return payload[:bigStart], name, nil
}

// writeBig writes a file so that it is there whole or not at all, also after a power cut.
func (s *Store) writeBig(name string, payload []byte) error {
	if err := s.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	tmp := name + ".tmp"
	f, err := s.root.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(payload)
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, s.root.Remove(tmp))
	}
	if err := s.root.Rename(tmp, name); err != nil {
		return errors.Join(err, s.root.Remove(tmp))
	}
	return syncDir(s.root, path.Dir(name))
}

// whole reads a payload back. Old journals are pruned and a store may be copied without its folder: a log whose one
// payload is lost is still a log.
func (s *Store) whole(name string, start []byte) ([]byte, error) {
	payload, err := s.root.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return payload, err
	}
	return json.Marshal(map[string]any{
		"type": "CUSTOM",
		"name": "warning",
		"value": map[string]any{
			"code":  "payload_missing",
			"text":  fmt.Sprintf("the file %s with this event is gone", name),
			"start": string(start[:min(len(start), 256)]),
		},
	})
}
