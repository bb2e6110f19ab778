//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
)

// version is set when it is built.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command is the benchmark or one of the programs that it starts itself as.
func command(ctx context.Context, args []string) error {
	if len(args) == 3 && args[0] == "agent" {
		lines, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		every, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return agent(os.Stdin, os.Stdout, lines, every)
	}
	if len(args) >= 3 && args[0] == "claude" { // what follows is for the CLI
		lines, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		words, err := talkFrom(args[1])
		if err != nil {
			return err
		}
		return words.write(os.Stdout, lines)
	}
	if len(args) == 3 && args[0] == "handle" {
		return handle(ctx, args[1], args[2])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	bin := flags.String("bin", "bin", "`FOLDER` of the built programs")
	file := flags.String("json", "bench.json", "`FILE` that gets the figures as JSON")
	pairs := flags.Int("pairs", 20, "`NUMBER` of pairs of a row")
	capture := flags.String("capture", "harnesses/claude-code/testdata/edit-command-partial.ndjson", "`FILE` that Claude Code's stream is made of")
	only := flags.String("only", "", "measure only rows whose name matches the `EXPRESSION`")
	smoke := flags.Bool("smoke", false, "everything once and small, to see that it works; the figures mean nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	b := &bench{pairs: *pairs, small: *smoke, match: match}
	if b.bin, err = filepath.Abs(*bin); err != nil {
		return err
	}
	if b.capture, err = filepath.Abs(*capture); err != nil {
		return err
	}
	return errors.Join(b.whole(ctx, *file), b.close())
}

// whole measures all rows and tells of each as soon as it stands.
func (b *bench) whole(ctx context.Context, file string) error {
	if err := b.open(ctx); err != nil {
		return err
	}
	r := report{Version: version, Machine: theMachine(), Pairs: b.pairs, Smoke: b.small}
	r.head(os.Stdout)
	for _, group := range b.groups() {
		rows, err := group(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !b.match.MatchString(row.name) {
				continue
			}
			f, err := b.measure(ctx, row)
			if err != nil {
				return fmt.Errorf("%s: %w", row.name, err)
			}
			r.Rows = append(r.Rows, f)
			f.line(os.Stdout)
		}
	}
	return r.save(file)
}
