package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ownerFile in StateDir says who made a sandbox, and where its root is.
const ownerFile = "owner.json"

type owner struct {
	Labels  sandbox.Labels `json:"labels"`
	Created time.Time      `json:"created"`
	Dir     string         `json:"dir,omitempty"` // root, if it isn't the sandbox's own
}

// of reports whether the file may be believed: one that a sandbox's processes
// took from another sandbox, or made up, names another key, no owner, or a time
// to come. Such a sandbox is nobody's, so it is never collected for another's
// sake.
func (o owner) of(pl place) bool {
	return o.Labels.Owner != "" && keyPattern.MatchString(o.Labels.Key) && o.Labels.Key[:16] == filepath.Base(pl.base) &&
		!o.Created.After(time.Now().Add(time.Hour))
}

func writeOwner(state string, o owner) error {
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fmt.Errorf("write owner file: %w", err)
	}
	if err := os.WriteFile(filepath.Join(state, ownerFile), data, 0o600); err != nil {
		return fmt.Errorf("write owner file: %w", err)
	}
	return nil
}

// readOwner distrusts the file: the sandbox's processes can replace it by a
// link or a pipe.
func readOwner(state string) (owner, error) {
	root, err := os.OpenRoot(state)
	if err != nil {
		return owner{}, fmt.Errorf("read owner file: %w", err)
	}
	defer root.Close()
	file, err := root.OpenFile(ownerFile, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return owner{}, fmt.Errorf("read owner file: %w", err)
	}
	defer file.Close()
	if st, err := file.Stat(); err != nil || !st.Mode().IsRegular() {
		return owner{}, fmt.Errorf("read owner file: not a regular file (%w)", err)
	}
	var o owner
	if err := json.NewDecoder(io.LimitReader(file, 64<<10)).Decode(&o); err != nil {
		return owner{}, fmt.Errorf("read owner file: %w", err)
	}
	return o, nil
}
