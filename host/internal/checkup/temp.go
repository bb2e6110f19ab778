package checkup

import (
	"context"
	"fmt"
	"os"
	"runtime"
)

// temp looks at the folder for temporary files, where sockets are made if the state
// folder's path is too long for them.
func (m *Machine) temp(_ context.Context, l *list) {
	name := "TMPDIR"
	dir := m.envOr(name, "/tmp")
	if runtime.GOOS == "windows" {
		name, dir = "TEMP", os.TempDir()
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil || !info.IsDir():
		l.add(Problem, fmt.Sprintf("the folder for temporary files, %s, isn't there", dir), "mkdir -p "+word(dir))
	default:
		if err := writable(dir); err != nil {
			l.unwritable(dir, err, "export "+name+"=/var/tmp")
			return
		}
		l.add(OK, dir+" can be written", "")
	}
}
