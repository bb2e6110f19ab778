package providertest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// quiet is how long heartbeats are watched at least: about 30 of them.
const quiet = 300 * time.Millisecond

// Heartbeats reads the sizes of all files below a folder of a sandbox, by
// their names below it, with one command: what [leakcheck.Leaks] and
// [leakcheck.Await] ask for, on any sandbox.
func Heartbeats(sb sandbox.Sandbox, dir string) leakcheck.Sizes {
	return func(ctx context.Context) (map[string]int64, error) {
		out, err := sandbox.Exec(ctx, sb, sandbox.Command{
			ID: "heartbeats-" + newKey()[:16], Argv: shell(`cd "$1" && find . -type f -exec wc -c {} +`, dir),
		})
		if err != nil {
			return nil, fmt.Errorf("read heartbeats: %w", err)
		}
		if !out.Exit.Ok() {
			return nil, fmt.Errorf("read heartbeats: %+v: %s", out.Exit, out.Stderr)
		}
		sizes := map[string]int64{}
		for _, line := range lines(string(out.Stdout)) {
			size, name, ok := strings.Cut(strings.TrimLeft(line, " "), " ./")
			if !ok {
				continue // the total
			}
			if sizes[name], err = strconv.ParseInt(size, 10, 64); err != nil {
				return nil, fmt.Errorf("read heartbeats: %w", err)
			}
		}
		return sizes, nil
	}
}

// tree is a command that starts every kind of process a kill tends to miss,
// with their heartbeats in dir, which is made.
func (b *bed) tree(id, dir string) sandbox.Command {
	b.Helper()
	b.sh(`mkdir -p "$1"`, dir)
	return sandbox.Command{ID: id, Argv: shell(leakcheck.Script, dir)}
}

// beating waits until each process of a tree has been seen to live: its
// heartbeat grows twice from now on.
func (b *bed) beating(dir string, names ...string) {
	b.Helper()
	if missing := b.silent(b.suite.opts.Patience, dir, names...); len(missing) > 0 {
		b.Fatalf("no heartbeat of %q in %s within %v", missing, dir, b.suite.opts.Patience)
	}
}

// silent waits like beating, for a while, and returns those that weren't seen.
func (b *bed) silent(limit time.Duration, dir string, names ...string) (missing []string) {
	b.Helper()
	if len(names) == 0 {
		names = leakcheck.Names()
	}
	first := map[string]int64{}
	missing = names
	b.within(limit, func() bool {
		sizes, err := Heartbeats(b.sb, dir)(b.ctx)
		b.noError("look", err)
		missing = slices.DeleteFunc(slices.Clone(missing), func(name string) bool {
			size, there := sizes[name]
			if _, seen := first[name]; there && !seen {
				first[name] = size
			}
			return there && size >= first[name]+2
		})
		return len(missing) == 0
	})
	return missing
}

// control is a folder of the root in which one process beats that nobody ends:
// the measure of how much a living process does on this machine just now.
const control = ".control"

// living watches the heartbeats below dir and returns those that grew, by
// their names below it. It watches until a process that is known to live has
// beaten ten times, so that a busy machine hides no leak. It looks from another
// plugin process than the first, which may hang or have ended.
func (b *bed) living(dir string) []string {
	b.Helper()
	sb := b.resume(b.second())
	b.controlled.Do(func() {
		cmd := b.one("control-beat", control)
		cmd.Detached = true
		b.start(sb, cmd)
		b.beating(control, "beat")
	})
	dir = strings.TrimPrefix(dir, sb.Info().Root+"/")
	look := func() map[string]int64 {
		sizes, err := Heartbeats(sb, sb.Info().Root)(b.ctx)
		b.noError("look", err)
		return sizes
	}
	before, after, begin := look(), map[string]int64{}, time.Now()
	b.eventually("the control has beaten ten times", func() bool {
		after = look()
		return time.Since(begin) >= quiet && after[control+"/beat"] >= before[control+"/beat"]+10
	})
	var live []string
	for name, size := range after {
		if below, ok := strings.CutPrefix(name, dir+"/"); ok && size != before[name] {
			live = append(live, below)
		}
	}
	slices.Sort(live)
	return live
}

// still checks twice that nothing beats below dir any more.
func (b *bed) still(what, dir string) {
	b.Helper()
	for range 2 {
		if live := b.living(dir); len(live) > 0 {
			b.Errorf("%s: still beating: %q", what, live)
			return
		}
	}
}

// eventuallyStill is still for what nobody awaits.
func (b *bed) eventuallyStill(what, dir string) {
	b.Helper()
	b.within(b.suite.opts.Patience/2, func() bool { return len(b.living(dir)) == 0 })
	b.still(what, dir)
}

// one is a single process that beats into dir/beat and prints as well.
func (b *bed) one(id, dir string) sandbox.Command {
	b.Helper()
	b.sh(`mkdir -p "$1"`, dir)
	return sandbox.Command{ID: id, Argv: shell(`while :; do printf . >>"$1/beat" || exit; echo .; sleep 0.01; done`, dir)}
}
