package plugin

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
)

// errBusy is the error of executing a file that somebody has open for writing.
var errBusy = syscall.ETXTBSY

func oneLine(text string) string { return wire.OneLine(text) }

// unfit says what a file is that the system won't execute.
func unfit(path string) string {
	here := runtime.GOOS + "/" + runtime.GOARCH
	head, err := headOf(path)
	switch {
	case err != nil:
		return fmt.Sprintf("is not a program for %s: %v", here, err)
	case len(head) == 0:
		return "is empty: install it again"
	case bytes.HasPrefix(head, []byte("MZ")):
		return "was built for Windows; this is " + here + ": install the build for this system"
	case bytes.HasPrefix(head, []byte("\xcf\xfa\xed\xfe")), bytes.HasPrefix(head, []byte("\xca\xfe\xba\xbe")):
		return "was built for macOS; this is " + here + ": install the build for this system"
	case !bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return "is not a program for " + here + ": it has neither a program's header nor a #! line"
	}
	f, err := elf.Open(path)
	if err != nil {
		return "is not a program for " + here + ": it is cut off or damaged; install it again"
	}
	defer func() { _ = f.Close() }() // read only
	return fmt.Sprintf("was built for another processor (%s); this is %s: install the build for this system",
		strings.ToLower(strings.TrimPrefix(f.Machine.String(), "EM_")), here)
}

// missing says what a file needs that isn't there: the system says of the file
// itself that it doesn't exist.
func missing(path string) string {
	head, err := headOf(path)
	if err != nil {
		return fmt.Sprintf("can't be executed: %v", err) // it is gone
	}
	if line, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		return fmt.Sprintf("needs the interpreter %s, which isn't installed", quote(strings.TrimSpace(string(line))))
	}
	if f, err := elf.Open(path); err == nil {
		defer func() { _ = f.Close() }() // read only
		for _, p := range f.Progs {
			if p.Type != elf.PT_INTERP {
				continue
			}
			name, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
			if err == nil {
				return fmt.Sprintf("needs the loader %s, which isn't installed: it was linked on another system; take a static build (CGO_ENABLED=0)",
					quote(string(bytes.TrimRight(name, "\x00"))))
			}
		}
	}
	return "needs an interpreter or loader that isn't installed"
}

// headOf is the beginning of a file.
func headOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	head, err := bufio.NewReader(f).Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head, nil
}
