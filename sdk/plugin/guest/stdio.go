package guest

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// Stdio makes a connection of a stream to write to and one to read from, as a
// program has them in its stdout and stdin. Deadlines are not kept: the end of
// the streams is the end.
func Stdio(r io.ReadCloser, w io.WriteCloser) net.Conn { return stdio{r, w} }

type stdio struct {
	r io.ReadCloser
	w io.WriteCloser
}

func (s stdio) Read(b []byte) (int, error)  { return s.r.Read(b) }
func (s stdio) Write(b []byte) (int, error) { return s.w.Write(b) }
func (s stdio) Close() error                { return errors.Join(s.w.Close(), ignoreClosed(s.r.Close())) }

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil // one that is both streams
	}
	return err
}

func (stdio) LocalAddr() net.Addr              { return address{} }
func (stdio) RemoteAddr() net.Addr             { return address{} }
func (stdio) SetDeadline(time.Time) error      { return nil }
func (stdio) SetReadDeadline(time.Time) error  { return nil }
func (stdio) SetWriteDeadline(time.Time) error { return nil }

type address struct{}

func (address) Network() string { return "stdio" }
func (address) String() string  { return "stdio" }
