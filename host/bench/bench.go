//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// bench is the world that the rows are measured in: a folder, a plugin and a
// sandbox.
type bench struct {
	bin     string // of the built programs
	capture string // of Claude Code, with partial messages
	pairs   int
	small   bool
	match   *regexp.Regexp

	self     string // this program
	dir      string // removed at the end
	plugins  *plugins.Plugins
	proc     *plugins.Process
	provider sandbox.Provider
	box      sandbox.Sandbox
	ends     []func() error // what close does first
	last     int            // number of the last process
	made     int            // number of the last sandbox
}

func (b *bench) groups() []func(context.Context) ([]row, error) {
	return []func(context.Context) ([]row, error){
		b.lives, b.commands, b.outputs, b.inputs, b.files, b.kills, b.starts, b.journals, b.stores, b.runs, b.claude, b.docker,
	}
}

func (b *bench) open(ctx context.Context) (err error) {
	if b.small {
		b.pairs = 1
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "sandlot-bench-"); err != nil {
		return err
	}
	b.plugins = pluginsOf(b.bin, filepath.Join(b.dir, "home"))
	b.provider, b.proc, err = b.plugins.LaunchProvider(ctx, localprocess(), configuration())
	if err != nil {
		return fmt.Errorf("%w (the programs are built by: make build demo-agent)", err)
	}
	b.box, err = b.provider.Create(ctx, b.request())
	return err
}

func (b *bench) close() error {
	var err error
	for _, end := range b.ends {
		err = errors.Join(err, end())
	}
	if b.proc != nil {
		err = errors.Join(err, b.proc.Close())
	}
	if b.plugins != nil {
		b.plugins.Close()
	}
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

func pluginsOf(bin, home string) *plugins.Plugins {
	return plugins.New(plugins.Options{Dirs: []string{filepath.Join(bin, "plugins")}, Home: home})
}

func localprocess() plugins.LaunchOptions {
	return plugins.LaunchOptions{Kind: plugins.Provider, Type: "localprocess", Environ: os.Environ()}
}

func configuration() plugins.Configure {
	return plugins.Configure{Config: []byte("{}"), Owner: "bench"}
}

func (b *bench) request() sandbox.CreateRequest {
	b.made++
	key := fmt.Sprintf("%016x%048d", b.made, 0)
	return sandbox.CreateRequest{Key: key, Labels: sandbox.Labels{Owner: "bench", Key: key, Project: b.dir}}
}

// id names the next process.
func (b *bench) id() string {
	b.last++
	return fmt.Sprint("p", b.last)
}

// size is n, or a hundredth where the figures mean nothing.
func (b *bench) size(n int) int {
	if b.small {
		return max(1, n/100)
	}
	return n
}

// timed is a side that answers how many milliseconds the work took.
func timed(work func(ctx context.Context) error) side {
	return func(ctx context.Context) ([]float64, error) {
		start := time.Now()
		err := work(ctx)
		return []float64{since(start)}, err
	}
}

// rated is a side that answers how much of an amount was done in a second.
func rated(amount float64, work func(ctx context.Context) error) side {
	return func(ctx context.Context) ([]float64, error) {
		start := time.Now()
		err := work(ctx)
		return []float64{amount / time.Since(start).Seconds()}, err
	}
}

func since(start time.Time) float64 { return float64(time.Since(start)) / float64(time.Millisecond) }

// count reads to the end, as one who looks at the bytes would, and says how many
// there were.
type count struct{ n int64 }

func (c *count) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// readAll reads with the buffer that a reader of a pipe would take.
func readAll(r io.Reader) (int64, error) {
	var c count
	_, err := io.CopyBuffer(struct{ io.Writer }{&c}, struct{ io.Reader }{r}, make([]byte, 64<<10))
	return c.n, err
}

// timedUntil times what is done up to some point; what it answers is done after.
func timedUntil(work func() (after func() error, err error)) ([]float64, error) {
	start := time.Now()
	after, err := work()
	took := since(start)
	if after != nil {
		err = errors.Join(err, after())
	}
	return []float64{took}, err
}
