package providertest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func outputCases() []testCase {
	return []testCase{
		{"stdout and stderr are kept apart", keptApart},
		{"1 MiB of random bytes arrives on each, byte for byte", binaryOutput},
		{"a command without output has none", noOutput},
		{"output that nobody wants doesn't hold the process", discarded},
		{"a writer that fails discards the rest, and the process goes on", failingWriter},
		{"a character of 3 bytes survives any split", splitCharacter},
		{"output after the end of stdin arrives", afterStdin},
		{"the last bytes before the exit arrive", lastBytes},
		{"16 commands at once don't mix their output", unmixed},
		{"a line of 32 MiB arrives", longLine},
		{"1,000,000 lines arrive with flat memory", millionLines},
		{"a slow reader blocks the process, never memory", slowReader},
	}
}

func keptApart(b *bed) {
	r := b.run(sandbox.Command{Script: `for i in 1 2 3; do echo out $i; echo err $i >&2; done`})
	if string(r.stdout) != "out 1\nout 2\nout 3\n" || string(r.stderr) != "err 1\nerr 2\nerr 3\n" {
		b.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
}

// noise is n random bytes; the same seed makes the same.
func noise(n int, seed byte) []byte {
	p := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(p) // never fails
	return p
}

func binaryOutput(b *bed) {
	one, two := noise(1<<20, 1), noise(1<<20, 2)
	b.put("one", one)
	b.put("two", two)
	r := b.run(sandbox.Command{Script: "cat two >&2 & cat one; wait"})
	b.sameBytes("stdout", r.stdout, one)
	b.sameBytes("stderr", r.stderr, two)
	// What people take for text: NUL, bytes that are no UTF-8, CR LF.
	odd := "\x00\xff\xfe\r\n\x80\x1b[0m\n"
	r = b.run(sandbox.Command{Argv: []string{"cat"}, Stdin: strings.NewReader(odd)})
	b.sameBytes("odd bytes", r.stdout, []byte(odd))
}

// sameBytes compares content too long to be printed.
func (b *bed) sameBytes(what string, got, want []byte) {
	b.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	b.Errorf("%s: %d bytes, want %d; they differ at %d", what, len(got), len(want), at)
}

func noOutput(b *bed) {
	r := b.run(sandbox.Command{Argv: []string{"true"}})
	if len(r.stdout)+len(r.stderr) > 0 || !r.exit.Ok() {
		b.Errorf("stdout %q, stderr %q, exit %+v", r.stdout, r.stderr, r.exit)
	}
}

func discarded(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "loud", Script: "seq 200000; seq 200000 >&2; exit 3"})
	b.sameExit(b.wait(p), exited(3))
}

// refusing is a writer that takes one call.
type refusing struct{ calls int }

func (r *refusing) Write(p []byte) (int, error) {
	r.calls++
	return 0, errors.New("no more")
}

func failingWriter(b *bed) {
	w := &refusing{}
	r := b.run(sandbox.Command{Script: "seq 200000; echo err >&2; : >finished; exit 3", Stdout: w})
	b.sameExit(r.exit, exited(3))
	b.sh("test -e finished")
	if w.calls != 1 {
		b.Errorf("the writer was called %d times after it had failed", w.calls-1)
	}
	if string(r.stderr) != "err\n" {
		b.Errorf("stderr %q", r.stderr)
	}
}

func splitCharacter(b *bed) {
	// Around the sizes that pipes and copy buffers have.
	var pads []string
	var want strings.Builder
	for _, size := range []int{0, 512, 4 << 10, 32 << 10, 64 << 10} {
		for d := -2; d <= 2; d++ {
			if n := size + d; n >= 0 {
				pads = append(pads, fmt.Sprint(n))
				want.WriteString(strings.Repeat("x", n) + "世")
			}
		}
	}
	script := `for n; do head -c "$n" /dev/zero | tr '\0' x; printf '\344\270\226'; done`
	r := b.run(sandbox.Command{Argv: shell(script, pads...)})
	b.sameBytes("stdout", r.stdout, []byte(want.String()))

	// Each byte on its own: the next is written when the one before has arrived.
	var got buffer
	p := b.start(b.sb, sandbox.Command{ID: "bytes", Stdout: &got, Script: `n=0
for b in '\344' '\270' '\226'; do
	printf "$b"; n=$((n+1)); i=0
	until test -e "arrived$n" || test "$i" -gt 3000; do i=$((i+1)); sleep 0.01; done
done`})
	for n := 1; n <= 3; n++ {
		if !b.within(b.suite.opts.Patience, func() bool { return len(got.Bytes()) >= n }) {
			b.Fatalf("byte %d of a character doesn't arrive while the process goes on", n)
		}
		b.put(fmt.Sprint("arrived", n), nil)
	}
	b.sameExit(b.wait(p), exited(0))
	b.sameBytes("byte by byte", got.Bytes(), []byte("世"))
}

func afterStdin(b *bed) {
	r := b.run(sandbox.Command{Script: "cat >/dev/null; echo after; echo err >&2", Stdin: strings.NewReader("x")})
	if string(r.stdout) != "after\n" || string(r.stderr) != "err\n" {
		b.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
}

func lastBytes(b *bed) {
	for range 20 {
		r := b.run(sandbox.Command{Script: "printf last >&2; printf last; exit 3"})
		if string(r.stdout) != "last" || string(r.stderr) != "last" || r.exit.Code != 3 {
			b.Fatalf("stdout %q, stderr %q, exit %+v", r.stdout, r.stderr, r.exit)
		}
	}
}

func unmixed(b *bed) {
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			sb := b.sb
			if i%2 == 1 {
				var err error
				if sb, err = b.second().Resume(b.ctx, sandbox.ResumeRequest{ID: b.sb.ID()}); err != nil {
					b.Errorf("resume: %v", err)
					return
				}
			}
			b.oneOfMany(sb, fmt.Sprintf("c%02d", i), i)
		})
	}
	all.Wait()
}

// oneOfMany runs in a goroutine, so it may not end the case.
func (b *bed) oneOfMany(sb sandbox.Sandbox, name string, code int) {
	var stdout, stderr buffer
	p, err := sb.Start(b.ctx, sandbox.Command{
		ID: name, Stdin: strings.NewReader(name), Stdout: &stdout, Stderr: &stderr,
		Script: `read -r n; i=0; while [ $i -lt 2000 ]; do echo "$n out"; echo "$n err" >&2; i=$((i+1)); done; exit ` + fmt.Sprint(code),
	})
	if err != nil {
		b.Errorf("start %s: %v", name, err)
		return
	}
	exit, err := p.Wait(b.ctx)
	if err != nil || exit.Code != code {
		b.Errorf("%s: exit %+v %v, want code %d", name, exit, err, code)
	}
	if err := p.Close(); err != nil {
		b.Errorf("close %s: %v", name, err)
	}
	for what, got := range map[string]string{" out\n": stdout.String(), " err\n": stderr.String()} {
		if want := strings.Repeat(name+what, 2000); got != want {
			b.Errorf("%s: %q of its lines, %d bytes instead of %d", name, strings.TrimSpace(what), len(got), len(want))
		}
	}
}
