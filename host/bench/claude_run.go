//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// claudeProject has an agent that says what Claude Code says, and a secret that
// everything is scrubbed of.
const claudeProject = `
provider "localprocess" "here" {}
secret "API_KEY" { value = "sk-bench-0123456789abcdefghijklmnopqrstuvwxyz" }
workspace "w" { secrets = [secret.API_KEY] }
harness "claude-code" "short" { command = [%[1]q, "claude", %[2]q, "%[3]d"] }
harness "claude-code" "long" { command = [%[1]q, "claude", %[2]q, "%[4]d"] }
policy "p" { default = "allow" }
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.claude-code.short
  workspace = workspace.w
  policy    = policy.p
  lifecycle { reuse = "none" }
}
`

// claude is a stream of Claude Code, by the journal, through the pump and the
// harness, scrubbed, to events that are stored. The raw limit reads the same
// lines with encoding/json and appends them to a file, which it syncs.
func (b *bench) claude(ctx context.Context) ([]row, error) {
	words, err := talkFrom(b.capture)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "claude")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	short, long := b.size(300_000), b.size(3_000_000)
	hcl := fmt.Sprintf(claudeProject, b.self, b.capture, short, long)
	if err := os.WriteFile(filepath.Join(dir, "sandlot.hcl"), []byte(hcl), 0o644); err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, filepath.Join(b.dir, "claude-home", "store.db"))
	if err != nil {
		return nil, err
	}
	of := func(name, harness string, lines int) row {
		c := &claudes{bench: b, dir: dir, store: st, words: words, peaks: &peaks{}}
		return row{
			name: name, unit: "/s", goal: goal{of: "ours", least: 200_000}, peaks: c.peaks,
			raw: c.decode(lines), ours: c.run(harness, lines),
		}
	}
	whole := of("claude stream: 3,000,000 lines, 1 GB", "long", long)
	whole.once = true
	return []row{of("claude stream: 300,000 lines to events", "short", short), whole}, nil
}

type claudes struct {
	*bench
	dir   string
	store *store.Store
	words talk
	peaks *peaks
}

// peaks are the most that each process of a run took, in bytes.
type peaks struct{ host, plugin int64 }

func (c *claudes) decode(lines int) side {
	return func(context.Context) ([]float64, error) {
		file := filepath.Join(c.dir, "lines")
		from, err := os.Create(file)
		if err == nil {
			err = c.words.write(from, lines)
		}
		if err != nil {
			return nil, err
		}
		if _, err := from.Seek(0, 0); err != nil {
			return nil, err
		}
		defer from.Close()
		to, err := os.Create(filepath.Join(c.dir, "copy"))
		if err != nil {
			return nil, err
		}
		defer to.Close()
		start, n := time.Now(), 0
		s := bufio.NewScanner(from)
		s.Buffer(nil, 1<<20)
		out := bufio.NewWriterSize(to, 256<<10)
		for ; s.Scan(); n++ {
			if _, err := kindOf(s.Bytes()); err != nil {
				return nil, err
			}
			if _, err := out.Write(append(s.Bytes(), '\n')); err != nil {
				return nil, err
			}
		}
		if err := out.Flush(); err != nil {
			return nil, err
		}
		if err := to.Sync(); err != nil {
			return nil, err
		}
		if n != c.words.count(lines) {
			return nil, fmt.Errorf("%d lines came of %d", n, c.words.count(lines))
		}
		return []float64{float64(n) / time.Since(start).Seconds()}, s.Err()
	}
}

// run answers how many lines became events in a second, from the first event of
// the agent's to the run's last.
func (c *claudes) run(harness string, lines int) side {
	return func(ctx context.Context) ([]float64, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "sandlot"), "run", "--detach", "--json", "--harness", harness, "say hi")
		cmd.Dir = c.dir
		cmd.Env = append(os.Environ(), "PATH="+c.bin+":"+os.Getenv("PATH"), "SANDLOT_HOME="+filepath.Dir(c.store.Path()))
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("sandlot run: %w: %s", err, out)
		}
		id, err := runID(out)
		if err != nil {
			return nil, err
		}
		run, err := c.await(ctx, id)
		if err != nil {
			return nil, err
		}
		if run.Status != store.Completed {
			return nil, fmt.Errorf("run %s: %s: %s", id, run.Status, run.Message)
		}
		took, err := c.took(ctx, id)
		if err != nil {
			return nil, err
		}
		return []float64{float64(c.words.count(lines)) / took.Seconds()}, nil
	}
}

func runID(out []byte) (string, error) {
	for line := range bytes.Lines(out) {
		var m struct{ Run string }
		if json.Unmarshal(line, &m) == nil && m.Run != "" {
			return m.Run, nil
		}
	}
	return "", fmt.Errorf("sandlot run told no id: %s", out)
}

// await waits for a run's end, and looks at the memory of what drives it.
func (c *claudes) await(ctx context.Context, id string) (store.Run, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		run, err := c.store.Run(ctx, id)
		if err != nil || run.Status.Terminal() {
			return run, err
		}
		if driver := run.Driver.PID; driver != 0 {
			c.peaks.host = max(c.peaks.host, peak(strconv.Itoa(driver)))
			for _, child := range children(driver) {
				c.peaks.plugin = max(c.peaks.plugin, peak(child))
			}
		}
		select {
		case <-ctx.Done():
			return run, ctx.Err()
		case <-tick.C:
		}
	}
}

// took is the time from a run's first event of the agent to its last.
func (c *claudes) took(ctx context.Context, id string) (time.Duration, error) {
	last, err := c.store.LastEvents(ctx, id, 1)
	if err != nil {
		return 0, err
	}
	first, err := c.store.Events(ctx, id, 0, 0)
	if err != nil {
		return 0, err
	}
	for _, e := range first {
		if e.Source == store.Agent {
			return last[0].Time.Sub(e.Time), nil
		}
	}
	return 0, fmt.Errorf("run %s: no event of the agent", id)
}

// children are the processes that a process has started.
func children(pid int) []string {
	var all []string
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil // none that are known
	}
	for _, file := range threads {
		all = append(all, strings.Fields(text(file))...)
	}
	return all
}
