package shellfs

import (
	"crypto/rand"
	_ "embed"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// New gives the files of sb by commands that it starts in sb. It keeps nothing;
// making one is free. A command of its own has an id that begins with "shellfs-".
func New(sb sandbox.Sandbox) sandbox.Files { return files{sb: sb, info: sb.Info()} }

type files struct {
	sb   sandbox.Sandbox
	info sandbox.Info
}

// scripts, one for each call; see prelude.sh for what they share.
var (
	//go:embed script/prelude.sh
	prelude string
	//go:embed script/stat.sh
	statScript string
	//go:embed script/list.sh
	listScript string
	//go:embed script/read.sh
	readScript string
	//go:embed script/write.sh
	writeScript string
	//go:embed script/mkdir.sh
	mkdirScript string
	//go:embed script/rename.sh
	renameScript string
	//go:embed script/remove.sh
	removeScript string
	//go:embed script/chmod.sh
	chmodScript string
	//go:embed script/clean.sh
	cleanScript string
	//go:embed script/pull.sh
	pullScript string
	//go:embed script/push.sh
	pushScript string
)

// tempName is a name in the sandbox that nobody has or can guess.
func tempName() string { return ".sandlot-" + rand.Text() }
