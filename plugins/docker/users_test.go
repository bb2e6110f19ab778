package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// newBox makes a container that is removed with the test, and its provider.
func newBox(t testing.TB, c config) (*provider, *box) {
	t.Helper()
	p := newPlugin(t, c)
	sb, err := p.Create(t.Context(), sandbox.CreateRequest{Key: keyOf(t.Name()), Labels: sandbox.Labels{Owner: p.owner}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Destroy(context.Background(), sb.ID()); err != nil {
			t.Error(err)
		}
	})
	return p, sb.(*box)
}

// newPlugin is another plugin process, as far as the engine can tell.
func newPlugin(t testing.TB, c config) *provider {
	t.Helper()
	if c.Image == "" {
		c.Image = imageBusybox
	}
	c.Workdir, c.Pull = "/workspace", pullNever
	p, err := newProvider(t.Context(), c, sdk.Host{Home: t.TempDir(), Owner: "0190c0de-0000-7000-8000-0000000b0c5e", Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.(*provider).Close() })
	return p.(*provider)
}

func keyOf(name string) string {
	return hash(name)
}

// shell runs a script and gives its output.
func shell(t testing.TB, sb sandbox.Sandbox, cmd sandbox.Command) sandbox.Output {
	t.Helper()
	if cmd.ID == "" {
		cmd.ID = "shell"
	}
	out, err := sandbox.Exec(t.Context(), sb, cmd)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestACommandRunsAsItsUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config config
		user   string
		want   string
	}{
		{"from root, by name", config{}, "ann", "1000:1000:ann:"},
		{"from root, by number and group", config{}, "1234:5678", "1234:5678::"},
		{"from another, without rights", config{User: "1000", CapDrop: []string{"ALL"}}, "root", "0:0:root:"},
		{"from another, by name", config{User: "ann"}, "nobody", "65534:65534:nobody:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, b := newBox(t, c.config)
			out := shell(t, b, sandbox.Command{User: c.user, Dir: "/", Script: `echo "$(id -u):$(id -g):$USER:" && cd && touch mine && sleep 0`})
			if got := strings.TrimSpace(string(out.Stdout)); got != c.want || !out.Exit.Ok() {
				t.Errorf("%q, want %q; %s, %+v", got, c.want, out.Stderr, out.Exit)
			}
			p, err := b.Start(t.Context(), sandbox.Command{ID: "stays", User: c.user, Dir: "/", Detached: true, Script: "sleep 1000 & sleep 1000"})
			if err != nil {
				t.Fatal(err)
			}
			second, err := newPlugin(t, c.config).Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
			if err != nil {
				t.Fatal(err)
			}
			if alive, err := second.Alive(t.Context(), "stays"); alive != sandbox.AliveYes || err != nil {
				t.Errorf("alive: %s, %v", alive, err)
			}
			if err := second.Kill(t.Context(), "stays", 0); err != nil {
				t.Error(err)
			}
			if exit, err := p.Wait(t.Context()); exit.Signal == 0 || err != nil {
				t.Errorf("%+v, %v", exit, err)
			}
			if alive, err := b.Alive(t.Context(), "stays"); alive != sandbox.AliveNo || err != nil {
				t.Errorf("alive: %s, %v", alive, err)
			}
			for _, user := range []string{"nosuch", "ann:nosuch", "../x", "-x"} {
				_, err := b.Start(t.Context(), sandbox.Command{ID: "x", User: user, Script: "true"})
				if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), user) {
					t.Errorf("user %s: %v", user, err)
				}
			}
		})
	}
}
