package secrets

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

// abandoned is the age at which the folder of a command is nobody's: no command
// takes that long.
const abandoned = 2 * (CommandTimeout + killWait)

// folderIn is what has a folder for each command that runs.
func folderIn(home string) string { return filepath.Join(home, "commands") }

// Sweep ends the commands whose process was killed before they ended, with all
// that they have started, and returns the folders that it removed; they are below
// the host's folder of state, home.
func Sweep(ctx context.Context, home string) []string { return sweep(ctx, folderIn(home)) }

// Abandoned are folders that Sweep would remove by their age.
func Abandoned(home string) []string {
	var all []string
	list, _ := os.ReadDir(folderIn(home)) // none: no command ever ran
	for _, e := range list {
		if old(e) {
			all = append(all, filepath.Join(folderIn(home), e.Name()))
		}
	}
	return all
}

func old(e os.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > abandoned
}

func sweep(ctx context.Context, folder string) []string {
	var gone []string
	list, _ := os.ReadDir(folder)
	for _, e := range list {
		state := filepath.Join(folder, e.Name())
		forest, err := proctree.Open(state, proctree.Options{MarksOnly: true})
		if err != nil {
			continue // its owner has removed it
		}
		ended, err := forest.Reap(ctx)
		if err != nil || len(ended) == 0 && !old(e) {
			continue
		}
		if os.RemoveAll(state) == nil {
			gone = append(gone, state)
		}
	}
	return gone
}
