//go:build unix

// Command plugin is the plugin that the tests of sdk/plugin start. Its
// configuration says where its sandboxes are; the paths "panic" and "die" of
// Stat make it crash.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/plain"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type config struct {
	Dir   string `hcl:"dir" doc:"Folder of the sandboxes."`
	Print string `hcl:"print,optional" doc:"Printed on stdout."`
}

func main() {
	sdk.ServeProvider(sdk.Provider[config]{
		Type:         "plain",
		Version:      "1.2.3",
		Provider:     (*provider)(nil),
		Sandbox:      (*box)(nil),
		Capabilities: plain.Capabilities(),
		Env:          []string{"PLAIN_TOKEN"},
		Licence:      "Apache-2.0",
		Issues:       "https://example.com/issues",
		New: func(_ context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
			if c.Dir == "refuse" {
				return nil, &sandbox.Error{Class: sandbox.Invalid, Message: "no such place", Attribute: "dir"}
			}
			if c.Print != "" {
				fmt.Println(c.Print)
				fmt.Fprintln(os.Stdout, "stdout by name")
			}
			host.Log.Info("configured", "block", host.Block, "owner", host.Owner)
			return &provider{Provider: plain.New(c.Dir)}, nil
		},
	})
}

type provider struct{ *plain.Provider }

func (p *provider) Resume(ctx context.Context, r sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	sb, err := p.Provider.Resume(ctx, r)
	if err != nil {
		return nil, err
	}
	return &box{sb.(*plain.Box)}, nil
}

func (p *provider) Create(ctx context.Context, r sandbox.CreateRequest) (sandbox.Sandbox, error) {
	sb, err := p.Provider.Create(ctx, r)
	if err != nil {
		return nil, err
	}
	return &box{sb.(*plain.Box)}, nil
}

type box struct{ *plain.Box }

func (b *box) Files() sandbox.Files { return files{b.Box.Files()} }

type files struct{ sandbox.Files }

func (f files) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	switch path {
	case "panic":
		panic("a bug in stat")
	case "die":
		done := make(chan struct{})
		go func() {
			defer close(done)
			panic("a bug in a goroutine")
		}()
		<-done
	}
	return f.Files.Stat(ctx, path)
}
