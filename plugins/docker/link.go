package main

import (
	"context"
	"io"
	"net"
	"sync"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// link is the connection to a container's guest: made when it is needed, and
// again when it has ended.
type link struct {
	engine    engine
	container string
	argv      []string
	env       map[string]string

	mu     sync.Mutex
	client *guest.Client
	sb     sandbox.Sandbox
	ended  <-chan struct{}
}

// sandbox gives the guest's.
func (l *link) sandbox(ctx context.Context) (sandbox.Sandbox, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sb != nil {
		select {
		case <-l.ended:
			_ = l.client.Close()
			l.sb = nil
		default:
			return l.sb, nil
		}
	}
	var env []string
	for name, value := range l.env {
		env = append(env, name+"="+value)
	}
	made, err := l.engine.ContainerExecCreate(ctx, l.container, container.ExecOptions{
		AttachStdin: true, AttachStdout: true, AttachStderr: true, Cmd: l.argv, Env: env,
	})
	if err != nil {
		return nil, classify("start the guest", err)
	}
	stream, err := l.engine.ContainerExecAttach(context.WithoutCancel(ctx), made.ID, container.ExecAttachOptions{})
	if err != nil {
		return nil, classify("start the guest", err)
	}
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := stdcopy.StdCopy(w, io.Discard, stream.Reader)
		if err == nil {
			err = io.EOF
		}
		_ = w.CloseWithError(err)
	}()
	client, err := guest.Connect(guest.Stdio(r, half{stream.Conn}), guest.Options{Name: "the container's guest", Capabilities: capabilities()})
	if err != nil {
		stream.Close()
		return nil, classify("start the guest", err)
	}
	sb, err := client.Provider.Resume(ctx, sandbox.ResumeRequest{ID: "guest"})
	if err != nil {
		_ = client.Close()
		stream.Close()
		return nil, classify("start the guest", err)
	}
	l.client, l.sb, l.ended = client, sb, ended
	return sb, nil
}

// half is the end of a stream that is written to.
type half struct{ net.Conn }

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sb != nil {
		_ = l.client.Close()
		l.sb = nil
	}
}
