package providertest

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func capPTY(b *bed) {
	cmd := sandbox.Command{
		ID: "terminal", TTY: &sandbox.Size{Rows: 33, Cols: 121}, Stdout: &buffer{}, Stderr: &buffer{},
		Script: `test -t 0 && test -t 1 && test -t 2 && stty size && trap 'stty size; exit 0' WINCH && echo ready >&2 && while :; do sleep 0.05; done`,
	}
	if !b.sb.Info().Capabilities.PTY {
		p, err := b.sb.Start(b.ctx, cmd)
		b.mustBeUnsupported("start with a terminal", "pty", err)
		if err == nil {
			_ = p.Close()
		}
		plain := b.start(b.sb, sandbox.Command{ID: "plain", Script: "sleep 1000"})
		b.mustBeUnsupported("resize without a terminal", "pty", plain.Resize(b.ctx, sandbox.Size{Rows: 1, Cols: 1}))
		return
	}
	out, stderr := &buffer{}, &buffer{}
	cmd.Stdout, cmd.Stderr = out, stderr
	p := b.start(b.sb, cmd)
	b.eventually("it is ready", func() bool { return strings.Contains(out.String(), "ready") })
	if !strings.Contains(out.String(), "33 121") {
		b.Errorf("the terminal says %q", out)
	}
	b.noError("resize", p.Resize(b.ctx, sandbox.Size{Rows: 44, Cols: 99}))
	if exit := b.wait(p); !exit.Ok() || !strings.Contains(out.String(), "44 99") {
		b.Errorf("after resize %+v %q", exit, out)
	}
	if stderr.String() != "" {
		b.Errorf("stderr of a terminal: %q", stderr)
	}
	plain := b.start(b.sb, sandbox.Command{ID: "plain", Script: "sleep 1000"})
	b.mustBeUnsupported("resize without a terminal", "pty", plain.Resize(b.ctx, sandbox.Size{Rows: 1, Cols: 1}))
}
