package providertest

import (
	"bytes"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func execSame(b *bed) {
	cmd := sandbox.Command{ID: "exec", Script: `cat; echo "err $VAR" >&2; pwd; exit 4`, Env: map[string]string{"VAR": "x"}, Dir: "/"}
	cmd.Stdin = strings.NewReader("in\x00\xff\n")
	out, err := sandbox.Exec(b.ctx, b.sb, cmd)
	b.noError("exec", err)
	cmd.ID, cmd.Stdin = "start", strings.NewReader("in\x00\xff\n")
	r := b.run(cmd)
	if string(r.stdout) != "in\x00\xff\n/\n" || string(r.stderr) != "err x\n" || r.exit.Code != 4 {
		b.Errorf("start: %q %q %+v", r.stdout, r.stderr, r.exit)
	}
	if !bytes.Equal(out.Stdout, r.stdout) || !bytes.Equal(out.Stderr, r.stderr) || out.Exit != r.exit || out.Truncated {
		b.Errorf("exec: %q %q %+v, start: %q %q %+v", out.Stdout, out.Stderr, out.Exit, r.stdout, r.stderr, r.exit)
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 256<<10)
	out, err = sandbox.Exec(b.ctx, b.sb, sandbox.Command{ID: "big", Script: "cat", Stdin: bytes.NewReader(big)})
	b.noError("exec with 4 MiB of stdin", err)
	if !bytes.Equal(out.Stdout, big) {
		b.Errorf("4 MiB came back as %d bytes", len(out.Stdout))
	}
	_, err = sandbox.Exec(b.ctx, b.sb, sandbox.Command{ID: "lost", Script: "true", Dir: "/no/such/folder"})
	b.mustBe("exec in a missing folder", err, sandbox.NotFound)
}

func execTruncates(b *bed) {
	out, err := sandbox.Exec(b.ctx, b.sb, sandbox.Command{ID: "much", Script: `head -c 9000000 /dev/zero; exit 6`})
	b.noError("exec", err)
	if len(out.Stdout) != sandbox.CollectLimit || !out.Truncated {
		b.Errorf("%d bytes kept, truncated %v", len(out.Stdout), out.Truncated)
	}
	b.sameExit(out.Exit, exited(6))
}
