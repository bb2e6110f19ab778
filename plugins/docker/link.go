package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// link is the connection to a container's guest: made when it is needed, and
// again when it has ended. What the guest before has started is not known to the
// next one but by its ids.
type link struct {
	engine    engine
	container string
	user      string // empty: the container's
	argv      []string
	env       map[string]string

	making chan struct{} // of one: who puts into it makes the link
	mu     sync.Mutex
	client *guest.Client
}

func newLink(e engine, container string, argv []string, env map[string]string) *link {
	return &link{engine: e, container: container, argv: argv, env: env, making: make(chan struct{}, 1)}
}

// sandbox gives the guest's.
func (l *link) sandbox(ctx context.Context) (sandbox.Sandbox, error) {
	if c := l.living(); c != nil {
		return c.Sandbox, nil
	}
	select {
	case l.making <- struct{}{}:
	case <-ctx.Done():
		return nil, classify("start the guest", ctx.Err())
	}
	defer func() { <-l.making }()
	if c := l.living(); c != nil {
		return c.Sandbox, nil
	}
	c, err := l.connect(ctx)
	if err != nil {
		return nil, classify("start the guest", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.client = c
	return c.Sandbox, nil
}

// living is the client of a stream that goes on; nil: there is none.
func (l *link) living() *guest.Client {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client == nil {
		return nil
	}
	select {
	case <-l.client.Ended():
		_ = l.client.Close()
		l.client = nil
	default:
	}
	return l.client
}

func (l *link) connect(ctx context.Context) (*guest.Client, error) {
	var env []string
	for name, value := range l.env {
		env = append(env, name+"="+value)
	}
	made, err := l.engine.ContainerExecCreate(ctx, l.container, container.ExecOptions{
		User: l.user, AttachStdin: true, AttachStdout: true, AttachStderr: true, Cmd: l.argv, Env: env,
	})
	if err != nil {
		return nil, err
	}
	stream, err := l.engine.ContainerExecAttach(context.WithoutCancel(ctx), made.ID, container.ExecAttachOptions{})
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	e := &ended{engine: l.engine, exec: made.ID, copied: make(chan struct{})}
	go func() {
		defer close(e.copied)
		_, err := stdcopy.StdCopy(io.MultiWriter(&e.began, w), &e.said, stream.Reader)
		if err == nil {
			err = io.EOF
		}
		_ = w.CloseWithError(err)
	}()
	return guest.Connect(ctx, guest.Stdio(r, half{stream.Conn}), guest.Options{
		Name: guestName, Capabilities: capabilities(), Died: e.why,
	})
}

const guestName = "the container's guest"

// half is the end of a stream that is written to.
type half struct{ net.Conn }

func (l *link) close() {
	if c := l.living(); c != nil {
		_ = c.Close()
	}
}

// ended knows how a guest has ended.
type ended struct {
	engine engine
	exec   string
	copied chan struct{} // closed: the stream is over, and said is whole
	said   head          // of its stderr
	began  head          // of its stdout; the engine's words, where it couldn't be started
}

// why asks the engine once the stream is over; nil: nobody can tell.
func (e *ended) why() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	select {
	case <-e.copied:
	case <-ctx.Done():
		return nil
	}
	exec, err := e.engine.ContainerExecInspect(ctx, e.exec)
	switch {
	case errdefs.IsNotFound(err):
		return sandbox.Errorf(sandbox.Unavailable, "%s has ended with its container", guestName)
	case err != nil || exec.Running:
		return nil
	case exec.ExitCode == 137:
		return sandbox.Errorf(sandbox.Unavailable, "%s was killed; what it had started is unknown", guestName)
	}
	text, said := fmt.Sprintf("%s ended with exit code %d", guestName, exec.ExitCode), e.said.String()
	if exec.ExitCode == 126 || exec.ExitCode == 127 {
		text, said = guestName+" couldn't be started", e.began.String()
	}
	if said = strings.TrimSpace(said); said != "" {
		text += ": " + said
	}
	return sandbox.Errorf(sandbox.Unavailable, "%s", text)
}

// head keeps the first of what is written to it.
type head struct{ strings.Builder }

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	const most = 1 << 10
	h.Builder.Write(p[:min(len(p), most-min(h.Len(), most))])
	return len(p), nil
}
