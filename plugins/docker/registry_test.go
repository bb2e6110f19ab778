package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"
	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	registryUser     = "ann"
	registryPassword = "a-password-of-a-registry"
	registryHash     = "$2b$04$abcdefghijklmnopqrstuuoTpVDKDFSJfWA/6W0Yl//YqGOBXUGnG" // bcrypt
)

// startRegistry is a registry that asks for a password, behind a proxy of this
// test's; while stall is set, layers come to a halt on their way.
func startRegistry(t *testing.T) (front *httptest.Server, stall *atomic.Bool) {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "sock")
	settings := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %[1]s/data}}\n"+
		"http: {addr: %[2]s, net: unix}\nauth: {htpasswd: {realm: tests, path: %[1]s/users}}\n", dir, socket)
	for name, content := range map[string]string{"config.yml": settings, "users": registryUser + ":" + registryHash + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "docker-registry", "serve", filepath.Join(dir, "config.yml"))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a registry (make deps installs it): %v", err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the test's context ends it
	stall = &atomic.Bool{}
	over := t.Context().Done()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "registry"
			r.SetXForwarded()
		},
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}},
		ModifyResponse: func(r *http.Response) error {
			if stall.Load() && strings.Contains(r.Request.URL.Path, "/blobs/") && r.ContentLength > 1<<20 {
				r.Body = halting{io.LimitReader(r.Body, 256<<10), r.Body, over}
			}
			return nil
		},
	}
	front = httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	for deadline := time.Now().Add(30 * time.Second); ; {
		resp, err := http.Get(front.URL + "/v2/")
		if err == nil {
			_ = resp.Body.Close()
		}
		if err == nil && resp.StatusCode == http.StatusUnauthorized {
			return front, stall
		}
		if time.Now().After(deadline) {
			t.Fatalf("the registry doesn't answer: %v %s", err, said.String())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// halting gives what it has and then nothing, until over.
type halting struct {
	io.Reader
	io.Closer
	over <-chan struct{}
}

func (h halting) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		<-h.over
	}
	return n, err
}

// publish pushes an image with a layer of its own, which the engine then hasn't got.
func publish(t *testing.T, name string) {
	t.Helper()
	e := testEngine(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	made, err := e.ContainerCreate(t.Context(), &container.Config{Image: imageBusybox}, nil, nil, nil, "")
	must(err)
	content := make([]byte, 4<<20)
	_, _ = rand.Read(content)
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	must(w.WriteHeader(&tar.Header{Name: "layer", Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}))
	_, err = w.Write(content)
	must(err)
	must(w.Close())
	must(e.CopyToContainer(t.Context(), made.ID, "/", &packed, container.CopyToContainerOptions{}))
	_, err = e.ContainerCommit(t.Context(), made.ID, container.CommitOptions{Reference: name})
	must(err)
	must(e.ContainerRemove(t.Context(), made.ID, container.RemoveOptions{}))
	auth, err := registry.EncodeAuthConfig(registry.AuthConfig{Username: registryUser, Password: registryPassword})
	must(err)
	pushed, err := e.ImagePush(t.Context(), name, image.PushOptions{RegistryAuth: auth})
	must(err)
	said, err := io.ReadAll(pushed)
	must(err)
	if strings.Contains(string(said), `"error"`) {
		t.Fatalf("push: %s", said)
	}
	_, err = e.ImageRemove(t.Context(), name, image.RemoveOptions{Force: true})
	must(err)
}

// TestPulls goes through all that can become of a pull. It sets variables of this
// process, so nothing runs beside it.
func TestPulls(t *testing.T) {
	front, stall := startRegistry(t)
	server := front.Listener.Addr().String()
	name := server + "/team/app:1"
	publish(t, name)
	bin, home := t.TempDir(), t.TempDir()
	helper := fmt.Sprintf("#!/bin/sh\necho '{\"ServerURL\":%q,\"Username\":%q,\"Secret\":%q}'\n", server, registryUser, registryPassword)
	for program, text := range map[string]string{"works": helper, "broken": "#!/bin/sh\necho the keychain is locked\nexit 1\n"} {
		if err := os.WriteFile(filepath.Join(bin, "docker-credential-"+program), []byte(text), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("DOCKER_CONFIG", home)

	key := func(password string) map[string]any {
		return map[string]any{"auths": map[string]any{server: map[string]string{
			"auth": base64.StdEncoding.EncodeToString([]byte(registryUser + ":" + password)),
		}}}
	}
	var log bytes.Buffer
	var told []string
	pull := func(t *testing.T, ctx context.Context, docker map[string]any, name string, report func(sandbox.Progress)) error {
		t.Helper()
		data, err := json.Marshal(docker)
		if err == nil {
			err = os.WriteFile(filepath.Join(home, "config.json"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		made, err := newProvider(ctx, config{Image: name, Pull: pullAlways, Workdir: "/workspace"}, sdk.Host{
			Owner: "0190c0de-0000-7000-8000-000000009011", Log: hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Trace}),
		})
		if err != nil {
			t.Fatal(err)
		}
		p := made.(*provider)
		defer func() { _ = p.Close() }()
		_, err = p.find(ctx, func(s sandbox.Progress) {
			told = append(told, s.Detail)
			if report != nil {
				report(s)
			}
		})
		if err != nil {
			told = append(told, err.Error())
		}
		return err
	}

	for _, c := range []struct {
		name   string
		docker map[string]any
		image  string
		class  sandbox.Class // empty: it is pulled
		says   string
	}{
		{"no credentials", nil, name, sandbox.Unauthenticated, "docker login"},
		{"a wrong password", key("not-it"), name, sandbox.Unauthenticated, "docker login"},
		{"a helper that fails", map[string]any{"credsStore": "broken"}, name, sandbox.Unauthenticated, "the keychain is locked"},
		{"a helper that isn't there", map[string]any{"credsStore": "none"}, name, sandbox.Unauthenticated, "docker-credential-none"},
		{"a tag that the registry hasn't got", key(registryPassword), server + "/team/app:2", sandbox.NotFound, "check the name"},
		{"a helper's password", map[string]any{"credHelpers": map[string]string{server: "works"}}, name, "", ""},
		{"the password of docker login", key(registryPassword), name, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := pull(t, t.Context(), c.docker, c.image, nil)
			if c.class == "" {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := testEngine(t).ImageRemove(t.Context(), c.image, image.RemoveOptions{Force: true}); err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), server) {
				t.Errorf("got %s %v, want %s, %q and the registry's address", sandbox.ClassOf(err), err, c.class, c.says)
			}
		})
	}

	t.Run("a pull that is canceled on its way", func(t *testing.T) {
		stall.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		halfway := false
		err := pull(t, ctx, key(registryPassword), name, func(s sandbox.Progress) {
			if s.Percent > 0 && s.Percent < 100 && strings.Contains(s.Detail, " of 2 layers") {
				halfway = true
				cancel()
			}
		})
		if !halfway || !errors.Is(err, sandbox.Canceled) {
			t.Errorf("halfway %v: %v; told %q", halfway, err, told)
		}
		stall.Store(false)
	})
	t.Run("a registry that is gone", func(t *testing.T) {
		front.Listener.Close()
		err := pull(t, t.Context(), key(registryPassword), name, nil)
		if !errors.Is(err, sandbox.Unavailable) || !strings.Contains(err.Error(), "nothing answers there") {
			t.Errorf("got %s %v", sandbox.ClassOf(err), err)
		}
	})
	for _, secret := range []string{registryPassword, base64.StdEncoding.EncodeToString([]byte(registryUser + ":" + registryPassword))} {
		if all := log.String() + strings.Join(told, "\n"); strings.Contains(all, secret) {
			t.Errorf("a secret in what is told: %s", all)
		}
	}
}
