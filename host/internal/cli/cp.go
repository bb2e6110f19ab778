package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/transfer"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func (a *app) cpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "cp SOURCE TARGET",
		Short: "Copy files and folders into and out of a sandbox",
		Long: "Copy a file or folder into a sandbox, out of one, or from one into another.\n" +
			"A path in a sandbox is written SANDBOX:PATH; a relative PATH is under the workspace. A path of\n" +
			"this machine whose name has a colon is written with its folder: ./a:b. - as TARGET writes a tar\n" +
			"stream to stdout, as SOURCE reads one from stdin.\n\n" +
			"A file goes under the name of TARGET, or into TARGET if that is a folder; with a slash at its end\n" +
			"TARGET must be one. A folder becomes TARGET if nothing is there, and goes into TARGET if that is\n" +
			"a folder; with /. at its end, only what it holds goes there. The folder above TARGET must exist.\n\n" +
			"Permissions and times are kept; owners and the setuid, setgid and sticky bits aren't. Links are\n" +
			"copied as links, never followed, and nothing is written outside of TARGET. A file appears\n" +
			"when it is whole. Pipes, sockets and devices are left out, which is told.",
		Example: "  sandlot cp report.md quickstart:docs/\n" +
			"  sandlot cp quickstart:dist ./dist\n" +
			"  sandlot cp quickstart:. - | tar -tf -",
		Args: args(2, 2, "two arguments, what is copied and where to"),
		RunE: func(c *cobra.Command, got []string) error { return a.cp(c.Context(), got[0], got[1]) },
	}
}

// copying is one call of cp.
type copying struct {
	*app
	job      transfer.Job
	from, to transfer.Argument
	boxes    map[string]*runs.Visit // by what the person called them
	opened   []func()               // what closes them
	left     int                    // how much was left out, or worth a look
}

func (a *app) cp(ctx context.Context, from, to string) error {
	windows := runtime.GOOS == "windows"
	c := &copying{app: a, from: transfer.Parse(from, windows), to: transfer.Parse(to, windows), boxes: map[string]*runs.Visit{}}
	c.job.Note, c.job.Mark, c.job.Gone = c.noted, runs.Mark(), runs.MarkGone
	if err := c.check(from, to); err != nil {
		return err
	}
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	defer c.leave()
	if err := c.open(ctx); err != nil {
		return heard.or(err)
	}
	stop := c.progress()
	err := c.copy(ctx, heard)
	stop()
	if err != nil {
		return heard.or(c.failed(err))
	}
	return c.told(from, to)
}

// open opens the one sandbox or two.
func (c *copying) open(ctx context.Context) error {
	for _, ref := range []string{c.from.Sandbox, c.to.Sandbox} {
		if ref == "" || c.boxes[ref] != nil {
			continue
		}
		v, done, err := c.visit(ctx, ref, "sandlot cp")
		if err != nil {
			return err
		}
		c.boxes[ref], c.opened = v, append(c.opened, done)
	}
	return nil
}

func (c *copying) leave() {
	for _, done := range c.opened {
		done()
	}
}

func (c *copying) check(from, to string) error {
	switch {
	case c.from.Stream && c.to.Stream, c.from.Sandbox == "" && c.to.Sandbox == "":
		return usagef("copy %s to %s: neither is in a sandbox; write SANDBOX:PATH", from, to)
	case c.to.Stream && isTerminal(c.world.Stdout):
		return usagef("stdout is a terminal, and a tar stream isn't for one: send it into a file or to tar")
	case c.from.Stream && isTerminal(c.world.Stdin):
		return usagef("stdin is a terminal: send a tar stream into it")
	case c.to.Stream && c.flags.json:
		return usagef("- as target and --json exclude each other: stdout holds one of them")
	case c.from.Sandbox == "" && !c.from.Stream && c.from.Path == "", c.to.Sandbox == "" && !c.to.Stream && c.to.Path == "":
		return usagef("an empty path: name a file or folder")
	}
	return nil
}

// copy begins anew where a plugin died under it, unless that can't be done.
func (c *copying) copy(ctx context.Context, h *heard) error {
	switch {
	case c.to.Stream:
		return c.pull(ctx, h)
	case c.from.Stream:
		return c.push(ctx)
	}
	from, err := c.source()
	if err != nil {
		return err
	}
	to, err := c.target()
	if err != nil {
		return err
	}
	if err := c.checkSame(); err != nil {
		return err
	}
	work := func(ctx context.Context) error { return transfer.Copy(ctx, from, to, &c.job) }
	for _, v := range c.boxes {
		inner := work
		work = func(ctx context.Context) error { return v.Whole(ctx, inner) }
	}
	return work(ctx)
}

// checkSame refuses a copy within one sandbox whose target lies in what is copied: it
// would read what it writes. Links aren't followed for it.
func (c *copying) checkSame() error {
	if c.from.Sandbox == "" || c.to.Sandbox == "" {
		return nil
	}
	from, to := c.boxes[c.from.Sandbox].Sandbox(), c.boxes[c.to.Sandbox].Sandbox()
	if from.ID() != to.ID() || !transfer.Inside(from.Info().Root, c.from.Path, c.to.Path) {
		return nil
	}
	return sandbox.Errorf(sandbox.Invalid, "copy to %q: it lies in what is copied, %q: that would be copied into itself",
		c.to.Sandbox+":"+c.to.Path, c.from.Sandbox+":"+c.from.Path)
}

func (c *copying) source() (transfer.Source, error) {
	if c.from.Sandbox != "" {
		b, err := c.box(c.from)
		return transfer.BoxSource{Box: b}, err
	}
	s := transfer.HostSource{Path: c.from.Path, Dir: c.world.Dir}
	if info := c.boxes[c.to.Sandbox].Sandbox().Info(); info.Isolation == sandbox.IsolationNone {
		s.Skip = info.Root
	}
	return s, nil
}

func (c *copying) target() (transfer.Target, error) {
	if c.to.Sandbox != "" {
		b, err := c.box(c.to)
		return transfer.BoxTarget{Box: b}, err
	}
	t := transfer.HostTarget{Path: c.to.Path, Dir: c.world.Dir}
	if info := c.boxes[c.from.Sandbox].Sandbox().Info(); info.Isolation == sandbox.IsolationNone {
		t.Avoid = c.from.Path
		if !filepath.IsAbs(t.Avoid) {
			t.Avoid = filepath.Join(info.Root, t.Avoid)
		}
	}
	return t, nil
}

// box is a path in a sandbox that gives access to its files.
func (c *copying) box(arg transfer.Argument) (transfer.Box, error) {
	v := c.boxes[arg.Sandbox]
	filer, err := sandbox.As[sandbox.Filer](v.Sandbox())
	if err != nil {
		return transfer.Box{}, fmt.Errorf("%w: provider %s has no access to files; let tar copy them: tar -cf - DIR | sandlot exec -i %s -- tar -xf -",
			err, v.Spec().Provider.Type, arg.Sandbox)
	}
	return transfer.Box{Files: filer.Files(), Name: arg.Sandbox, Path: arg.Path}, nil
}

func (c *copying) pull(ctx context.Context, h *heard) error {
	b, err := c.box(c.from)
	if err != nil {
		return err
	}
	return b.Files.Pull(ctx, or(b.Path, "."), h.writer(c.world.Stdout))
}

func (c *copying) push(ctx context.Context) error {
	b, err := c.box(c.to)
	if err != nil {
		return err
	}
	return b.Files.Push(ctx, or(b.Path, "."), c.world.Stdin)
}

// failed says with an error how far the copy came.
func (c *copying) failed(err error) error {
	if n := c.job.Amount.Files.Load(); n > 0 && !c.to.Stream && !c.from.Stream {
		return fmt.Errorf("%w; %s had been copied, which stay", err, c.amount())
	}
	return err
}

const mostNoted = 20

func (c *copying) noted(name, what string) {
	if c.left++; c.left <= mostNoted {
		c.note("%s %s", oneLine(or(name, "it"), 200), what)
	}
}

func (c *copying) amount() string {
	n := c.job.Amount.Files.Load()
	files := "files"
	if n == 1 {
		files = "file"
	}
	return fmt.Sprintf("%d %s, %s", n, files, sizeOf(c.job.Amount.Bytes.Load()))
}

func (c *copying) told(from, to string) error {
	if more := c.left - mostNoted; more > 0 {
		c.note("and %d more", more)
	}
	switch {
	case c.flags.json:
		return c.line(copiedLine{"copied", strings.ToValidUTF8(from, "\uFFFD"), strings.ToValidUTF8(to, "\uFFFD"), c.job.Amount.Files.Load(), c.job.Amount.Bytes.Load()})
	case c.from.Stream || c.to.Stream:
		return nil
	}
	c.dim("copied %s", c.amount())
	return nil
}

type copiedLine struct {
	Type   string `json:"type"` // "copied"
	Source string `json:"source"`
	Target string `json:"target"`
	Files  int64  `json:"files"` // links count
	Bytes  int64  `json:"bytes"`
}
