package checkup

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

// programs looks for those of the machine that the host itself needs.
func (m *Machine) programs(ctx context.Context, l *list) {
	if runtime.GOOS != "windows" {
		if info, err := os.Stat("/bin/sh"); err != nil || info.Mode()&0o111 == 0 {
			l.add(Problem, "there is no /bin/sh, which runs setup and keeps what agents print", "install a shell, such as dash")
		}
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	path, version, err := gitsource.Git(ctx, m.env)
	if err != nil {
		// Only sources of git need it, and diffs, which then are left out.
		l.fault(Warning, err, "install git 2.32 or newer")
		return
	}
	l.add(OK, fmt.Sprintf("git %s at %s", version, path), "")
}
