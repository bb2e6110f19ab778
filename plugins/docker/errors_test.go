package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// mustSay checks an error's class, attribute and words.
func mustSay(t *testing.T, err error, class sandbox.Class, attribute string, words ...string) {
	t.Helper()
	known, _ := errors.AsType[*sandbox.Error](err)
	if known == nil || known.Class != class || known.Attribute != attribute || known.Hint == "" {
		t.Fatalf("got %#v, want %s with what to do", err, class)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q isn't in: %v", w, err)
		}
	}
}

// otherPlatform loads an image again that says it is for another kind of machine.
func otherPlatform(t *testing.T, name, from, to string) {
	t.Helper()
	e := testEngine(t)
	saved, err := e.ImageSave(t.Context(), []string{imageBusybox})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = saved.Close() }()
	var changed bytes.Buffer
	w := tar.NewWriter(&changed)
	for in := tar.NewReader(saved); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(head.Name, ".json") || head.Name == "repositories" {
			content = bytes.ReplaceAll(content, []byte(`"architecture":"`+from+`"`), []byte(`"architecture":"`+to+`"`))
			content = bytes.ReplaceAll(content, []byte(imageBusybox), []byte(name))
			head.Size = int64(len(content))
		}
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := e.ImageLoad(t.Context(), &changed)
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(loaded.Body)
	_ = loaded.Body.Close()
	t.Cleanup(func() {
		if _, err := e.ImageRemove(context.Background(), name, image.RemoveOptions{Force: true}); err != nil {
			t.Errorf("%v; the load said %s", err, said)
		}
	})
}

func TestAnImageForAnotherMachine(t *testing.T) {
	t.Parallel()
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	otherPlatform(t, "sandlot-test-other", runtime.GOARCH, other)
	its := "linux/" + runtime.GOARCH

	p := openProvider(t, config{Image: "sandlot-test-other", Pull: pullNever})
	err := refused(t, p, request(p, sandbox.Network{}))
	mustSay(t, err, sandbox.Invalid, "image", "sandlot-test-other", "linux/"+other, its, `platform = "linux/`+other+`"`)

	p = openProvider(t, config{Image: "sandlot-test-other", Pull: pullNever, Platform: its})
	err = refused(t, p, request(p, sandbox.Network{}))
	mustSay(t, err, sandbox.Invalid, "platform", "linux/"+other, its)

	p = openProvider(t, config{Image: imageBusybox + ":none", Pull: pullNever})
	err = refused(t, p, request(p, sandbox.Network{}))
	mustSay(t, err, sandbox.NotFound, "image", imageBusybox+":none", "docker pull")
}

func TestAnEngineThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(socket string) *provider {
		p := openProvider(t, config{Image: imageBusybox})
		e, err := client.NewClientWithOpts(client.WithHost("unix://"+socket), client.WithAPIVersionNegotiation())
		if err != nil {
			t.Fatal(err)
		}
		usual := p.engine
		p.engine = e
		t.Cleanup(func() { p.engine = usual }) // which Close tidies
		return p
	}
	dead := filepath.Join(dir, "dead")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	for _, socket := range []string{filepath.Join(dir, "none"), dead} {
		p := at(socket)
		_, err := p.Create(t.Context(), request(p, sandbox.Network{}))
		mustSay(t, err, sandbox.Unavailable, "", socket, "start the Docker engine", "DOCKER_HOST")
		_, err = p.List(t.Context())
		mustSay(t, err, sandbox.Unavailable, "", socket, "start the Docker engine")
		_, err = p.Resume(t.Context(), sandbox.ResumeRequest{ID: "sandlot-ababab-" + strings.Repeat("ab", 8)})
		mustSay(t, err, sandbox.Unavailable, "", socket, "start the Docker engine")
		err = p.Destroy(t.Context(), "sandlot-ababab-"+strings.Repeat("ab", 8))
		mustSay(t, err, sandbox.Unavailable, "", socket, "start the Docker engine")
	}
}
