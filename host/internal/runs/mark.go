package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Mark is this process for the name of a file: boot, pid, start time, with dots
// between. It is the same as long as the process lives, and nobody else's.
func Mark() string {
	me := Self()
	return fmt.Sprintf("%s.%d.%s", bootMark(), me.PID, me.StartTime)
}

// MarkGone reports whether the process of a mark is known to be gone.
func MarkGone(mark string) bool {
	boot, rest, _ := strings.Cut(mark, ".")
	id, start, ok := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(id)
	if !ok || err != nil || boot != bootMark() {
		return false
	}
	return Gone(store.Driver{BootID: Self().BootID, PID: pid, StartTime: start})
}

// bootMark is short for this boot of this machine.
func bootMark() string {
	sum := sha256.Sum256([]byte(boot()))
	return hex.EncodeToString(sum[:4])
}
