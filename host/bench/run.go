//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// project is what `sandlot run` is given: the demo agent, and ourselves as two
// others.
const project = `
provider "localprocess" "here" {}
harness "acp" "demo" { command = ["sandlot-demo-agent"] }
harness "acp" "slow" { command = [%[1]q, "agent", "%[2]d", "20"] }
harness "acp" "fast" { command = [%[1]q, "agent", "%[3]d", "0"] }
policy "p" { default = "allow" }
sandbox "demo" {
  provider = provider.localprocess.here
  harness  = harness.acp.demo
  policy   = policy.p
  lifecycle { reuse = "none" }
}
`

// runs are whole ones by the built sandlot, beside the same agent on a pipe.
func (b *bench) runs(context.Context) ([]row, error) {
	dir := filepath.Join(b.dir, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	slow, fast := b.size(50), b.size(20_000)
	hcl := fmt.Sprintf(project, b.self, slow, fast)
	if err := os.WriteFile(filepath.Join(dir, "sandlot.hcl"), []byte(hcl), 0o644); err != nil {
		return nil, err
	}
	return []row{
		{
			name: "sandlot run: start to the agent's first event", unit: "ms", goal: goal{of: "difference", most: 250},
			raw: b.alone(dir, []string{filepath.Join(b.bin, "sandlot-demo-agent")}, firstOf), ours: b.throughSandlot(dir, "demo", firstOf),
		},
		{
			name: "sandlot run: from a line to the terminal", unit: "ms", goal: goal{of: "ours", most: 30},
			raw: b.alone(dir, b.asAgent(slow, 20), lateness(slow)), ours: b.throughSandlot(dir, "slow", lateness(slow)),
		},
		{
			name: "sandlot run: 20,000 lines, start to end", unit: "/s",
			raw: b.alone(dir, b.asAgent(fast, 0), throughput(fast)), ours: b.throughSandlot(dir, "fast", throughput(fast)),
		},
	}, nil
}

func (b *bench) asAgent(lines, every int) []string {
	return []string{b.self, "agent", strconv.Itoa(lines), strconv.Itoa(every)}
}

// hearing makes of what an agent says, piece by piece, samples at the end.
type hearing struct {
	said func(text string) (enough bool)
	end  func() []float64
}

func firstOf(start time.Time) hearing {
	var took float64
	return hearing{
		said: func(string) bool { took = since(start); return true },
		end:  func() []float64 { return []float64{took} },
	}
}

// lateness is how long after it was written each line came.
func lateness(lines int) func(time.Time) hearing {
	return func(time.Time) hearing {
		var all []float64
		return hearing{
			said: func(text string) bool {
				now := time.Now().UnixNano()
				if written, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
					all = append(all, float64(now-written)/1e6)
				}
				return len(all) == lines
			},
			end: func() []float64 { return all },
		}
	}
}

func throughput(lines int) func(time.Time) hearing {
	return func(start time.Time) hearing {
		n, rate := 0, 0.0
		return hearing{
			said: func(string) bool {
				if n++; n == lines {
					rate = float64(n) / time.Since(start).Seconds()
				}
				return n == lines
			},
			end: func() []float64 { return []float64{rate} },
		}
	}
}

// alone talks to an agent by a pipe.
func (b *bench) alone(dir string, argv []string, hear func(start time.Time) hearing) side {
	return func(ctx context.Context) ([]float64, error) {
		h := hear(time.Now())
		c, err := talkTo(ctx, dir, argv...)
		if err != nil {
			return nil, err
		}
		defer c.close()
		err = c.prompt(dir, "say hi", func(line []byte) bool {
			var m struct{ Params update }
			return json.Unmarshal(line, &m) == nil && m.Params.Update.Content.Text != "" && h.said(m.Params.Update.Content.Text)
		})
		return h.end(), err
	}
}

// throughSandlot reads what `sandlot run` prints, as it comes, to its end.
func (b *bench) throughSandlot(dir, harness string, hear func(start time.Time) hearing) side {
	return func(ctx context.Context) ([]float64, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "sandlot"), "run", "--json", "--harness", harness, "say hi")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+b.bin+":"+os.Getenv("PATH"), "SANDLOT_HOME="+filepath.Join(b.dir, "runs-home"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		h := hear(time.Now())
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		heard := false
		s := bufio.NewScanner(out)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			var line struct{ Event struct{ Type, Delta string } }
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				return nil, err
			}
			if !heard && line.Event.Type == "TEXT_MESSAGE_CONTENT" {
				heard = h.said(line.Event.Delta)
			}
		}
		_, err = io.Copy(io.Discard, out)
		if err = errors.Join(s.Err(), err, cmd.Wait()); err != nil || !heard {
			return nil, fmt.Errorf("sandlot run: %w, all heard: %t: %s", err, heard, stderr.Bytes())
		}
		return h.end(), nil
	}
}
