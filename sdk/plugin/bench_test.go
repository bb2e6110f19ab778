//go:build unix

package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func benched(b *testing.B) sandbox.Sandbox {
	b.Helper()
	c, err := plugin.Launch(b.Context(), plugin.LaunchOptions{
		Path: os.Getenv("TEST_PLUGIN"), Env: []string{"PATH=" + os.Getenv("PATH")}, SocketDir: filepath.Join(b.TempDir(), "s"),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	p, err := c.Provider(b.Context(), plugin.Configure{Config: fmt.Appendf(nil, `{"dir":%q}`, b.TempDir())})
	if err != nil {
		b.Fatal(err)
	}
	sb, err := p.Create(b.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		b.Fatal(err)
	}
	return sb
}

func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		c, err := plugin.Launch(b.Context(), plugin.LaunchOptions{
			Path: os.Getenv("TEST_PLUGIN"), Env: []string{"PATH=" + os.Getenv("PATH")}, SocketDir: filepath.Join(b.TempDir(), "s"),
		})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkUnary(b *testing.B) {
	sb := benched(b)
	for b.Loop() {
		if _, err := sb.Alive(b.Context(), "nothing"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExecTrue(b *testing.B) {
	sb := benched(b)
	for b.Loop() {
		if _, err := sandbox.Exec(b.Context(), sb, sandbox.Command{ID: "p", Argv: []string{"true"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart100MB(b *testing.B) {
	sb := benched(b)
	b.SetBytes(100 << 20)
	for b.Loop() {
		var out discard
		p, err := sb.Start(b.Context(), sandbox.Command{ID: "p", Script: "head -c 104857600 /dev/zero", Stdout: &out})
		if err != nil {
			b.Fatal(err)
		}
		if exit, err := p.Wait(b.Context()); err != nil || !exit.Ok() {
			b.Fatal(exit, err)
		}
	}
}

type discard struct{}

func (*discard) Write(p []byte) (int, error) { return len(p), nil }
