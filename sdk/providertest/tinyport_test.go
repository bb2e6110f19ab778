//go:build unix

package providertest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// A sandbox of the tiny provider has this machine's network, where two cases may
// not listen on one port. So what listens on a port there tells by a file on which
// one it does, and the way to it is a relay.

// declared is the only port that a tiny sandbox has.
const declared = 8080

func portFile(dir, port string) string { return filepath.Join(dir, ".port-"+port) }

func (b *tinyBox) Port(_ context.Context, port int) (sandbox.Port, error) {
	if err := sandbox.CheckPort(port); err != nil {
		return sandbox.Port{}, err
	}
	if port != declared {
		return sandbox.Port{}, &sandbox.Error{Class: sandbox.Invalid, Message: fmt.Sprintf("port %d isn't open", port), Hint: "declare it"}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return sandbox.Port{}, err
	}
	go b.relay(l.(*net.TCPListener), fmt.Sprint(port))
	return sandbox.Port{URL: "http://" + l.Addr().String()}, nil
}

// relay goes on until the sandbox is gone.
func (b *tinyBox) relay(l *net.TCPListener, port string) {
	defer l.Close()
	for {
		_ = l.SetDeadline(time.Now().Add(200 * time.Millisecond))
		in, err := l.Accept()
		if _, gone := os.Stat(b.base); gone != nil || err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err == nil {
			go pass(in, portFile(b.Info().Root, port))
		}
	}
}

// pass connects with whom a file tells of.
func pass(in net.Conn, file string) {
	defer in.Close()
	address, err := os.ReadFile(file)
	if err != nil {
		return // nobody listens yet
	}
	out, err := net.Dial("tcp", string(address))
	if err != nil {
		return
	}
	defer out.Close()
	go func() { _, _ = io.Copy(out, in) }()
	_, _ = io.Copy(in, out)
}

// The names of the variables that make this program what listens in a sandbox.
const (
	servePort = "TINY_SERVE_PORT"
	serveText = "TINY_SERVE_TEXT"
)

// serveScript is Options.Serve.
func serveScript(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`%s="$1" %s="$2" exec '%s'`, servePort, serveText, self)
}

func TestMain(m *testing.M) {
	if port := os.Getenv(servePort); port != "" {
		fmt.Fprintln(os.Stderr, serveIn(".", port, os.Getenv(serveText)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveIn(dir, port, text string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	tmp := portFile(dir, port) + ".new"
	if err := os.WriteFile(tmp, []byte(l.Addr().String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(tmp, portFile(dir, port)); err != nil {
		return err
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
}
