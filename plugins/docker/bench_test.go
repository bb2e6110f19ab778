package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func benchBox(b *testing.B) (*provider, sandbox.Sandbox) {
	p, err := newProvider(b.Context(), config{Image: "sandlot-test-busybox", Workdir: "/workspace"}, sdk.Host{Home: b.TempDir(), Owner: "bench", Log: hclog.NewNullLogger()})
	if err != nil {
		b.Fatal(err)
	}
	sb, err := p.Create(b.Context(), sandbox.CreateRequest{Key: strings.Repeat("ab", 32), Labels: sandbox.Labels{Owner: "bench"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Destroy(context.Background(), sb.ID()) })
	return p.(*provider), sb
}

func BenchmarkExec(b *testing.B) {
	_, sb := benchBox(b)
	for b.Loop() {
		out, err := sandbox.Exec(b.Context(), sb, sandbox.Command{ID: "x", Argv: []string{"true"}})
		if err != nil || !out.Exit.Ok() {
			b.Fatal(out, err)
		}
	}
}

func BenchmarkExecRaw(b *testing.B) {
	p, sb := benchBox(b)
	for b.Loop() {
		e, err := p.engine.ContainerExecCreate(b.Context(), sb.ID(), container.ExecOptions{AttachStdout: true, AttachStderr: true, Cmd: []string{"true"}})
		if err != nil {
			b.Fatal(err)
		}
		s, err := p.engine.ContainerExecAttach(b.Context(), e.ID, container.ExecAttachOptions{})
		if err != nil {
			b.Fatal(err)
		}
		_, _ = stdcopy.StdCopy(io.Discard, io.Discard, s.Reader)
		s.Close()
	}
}

func BenchmarkOutput(b *testing.B) {
	_, sb := benchBox(b)
	b.SetBytes(100 << 20)
	for b.Loop() {
		p, err := sb.Start(b.Context(), sandbox.Command{ID: "x", Argv: []string{"head", "-c", "104857600", "/dev/zero"}, Stdout: io.Discard})
		if err != nil {
			b.Fatal(err)
		}
		if e, err := p.Wait(b.Context()); err != nil || !e.Ok() {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkOutputRaw(b *testing.B) {
	p, sb := benchBox(b)
	b.SetBytes(100 << 20)
	for b.Loop() {
		e, _ := p.engine.ContainerExecCreate(b.Context(), sb.ID(), container.ExecOptions{AttachStdout: true, AttachStderr: true, Cmd: []string{"head", "-c", "104857600", "/dev/zero"}})
		s, err := p.engine.ContainerExecAttach(b.Context(), e.ID, container.ExecAttachOptions{})
		if err != nil {
			b.Fatal(err)
		}
		n, _ := stdcopy.StdCopy(io.Discard, io.Discard, s.Reader)
		if n != 100<<20 {
			b.Fatal(n)
		}
		s.Close()
	}
}

func BenchmarkWrite64(b *testing.B) {
	_, sb := benchBox(b)
	data := make([]byte, 64<<20)
	b.SetBytes(64 << 20)
	for b.Loop() {
		f, _ := sandbox.As[sandbox.Filer](sb)
		if err := f.Files().Write(b.Context(), "big", bytes.NewReader(data), sandbox.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead64(b *testing.B) {
	_, sb := benchBox(b)
	data := make([]byte, 64<<20)
	f, _ := sandbox.As[sandbox.Filer](sb)
	if err := f.Files().Write(b.Context(), "big", bytes.NewReader(data), sandbox.WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(64 << 20)
	for b.Loop() {
		r, err := f.Files().Read(b.Context(), "big", sandbox.ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r); n != 64<<20 || err != nil {
			b.Fatal(n, err)
		}
		_ = r.Close()
	}
}

func BenchmarkWrite1K(b *testing.B) {
	_, sb := benchBox(b)
	data := make([]byte, 1<<10)
	f, _ := sandbox.As[sandbox.Filer](sb)
	for b.Loop() {
		if err := f.Files().Write(b.Context(), "small", bytes.NewReader(data), sandbox.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList10000(b *testing.B) {
	_, sb := benchBox(b)
	var stream bytes.Buffer
	w := tar.NewWriter(&stream)
	for i := range 10_000 {
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("file-%05d", i), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	f, _ := sandbox.As[sandbox.Filer](sb)
	if err := f.Files().Push(b.Context(), "many", &stream); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		list, err := f.Files().List(b.Context(), "many")
		if err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
}
