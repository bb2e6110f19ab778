package harnesstest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Endings tries how a session may come to its end: an agent that never started,
// one that was killed, one that printed nothing but garbage, a cancel. Each must
// end in a Done that says so, whatever the agent didn't say.
func Endings(t T, open Opener, start harness.Start, opts Options) {
	t.Helper()
	o := opts.withDefaults()
	stderr := []byte("first line\nthe last words of the agent\n")
	for _, c := range []struct {
		name    string
		exit    harness.Exit
		output  []byte
		cancel  bool
		ok      bool // reason ok is right, too
		reason  harness.Reason
		mention string
	}{
		{name: "an agent that wasn't found", exit: harness.Exit{Code: 127, Known: true, Stderr: stderr}, reason: harness.ReasonCLIMissing},
		{name: "an agent that can't be executed", exit: harness.Exit{Code: 126, Known: true, Stderr: stderr}, mention: "126"},
		{name: "an agent that failed", exit: harness.Exit{Code: 3, Known: true, Stderr: stderr}, mention: "the last words of the agent"},
		{name: "an agent that was killed", exit: harness.Exit{Code: -1, Signal: 9, Known: true, Message: "killed by signal 9"}, mention: "9"},
		{name: "an agent that vanished", exit: harness.Exit{Code: -1}},
		{name: "an agent that printed nothing", exit: harness.Exit{Known: true}, ok: true},
		{name: "a cancel before the first line", exit: harness.Exit{Code: -1, Signal: 15, Known: true}, cancel: true, reason: harness.ReasonCanceled},
		{name: "garbage", output: garbage(), exit: harness.Exit{Known: true}, ok: true},
		{name: "garbage, then a crash", output: garbage(), exit: harness.Exit{Code: 1, Known: true, Stderr: stderr}, mention: "the last words of the agent"},
	} {
		t := named{t, c.name}
		way := course{start: start, options: o, output: c.output, read: wholeReads}
		way.options.Exit = &c.exit
		if c.cancel {
			way.output = []byte("\n") // something to be before
			way = way.canceled(0)
		}
		r := way.session(t, open)
		checkRecord(t, r, start, o)
		got := r.Result
		switch {
		case c.reason != "" && got.Reason != c.reason:
			t.Errorf("reason %q, want %q", got.Reason, c.reason)
		case !c.ok && got.Reason == harness.ReasonOK:
			t.Errorf("reason ok, though the agent did nothing")
		}
		if !strings.Contains(got.Message, c.mention) {
			t.Errorf("the message doesn't mention %q: %s", c.mention, got.Message)
		}
	}
	longLines(t, open, start, o)
}

// garbage is what a broken agent, a wrapper script or a terminal may print.
func garbage() []byte {
	return bytes.Join([][]byte{
		[]byte("npm warn deprecated"), []byte("\x1b[31mred\x1b[0m"),
		{0xff, 0xfe, 0x00, 0x80},
		[]byte("{"), []byte("[]"),
		[]byte("null"), []byte(`"text"`), []byte("{}"), []byte(`{"type":null,"method":7,"id":{}}`), []byte("  \t"), []byte("\r"),
		[]byte(strings.Repeat("[", 20_000)), []byte(`{"type":"result"`),
	}, []byte("\n"))
}

// longLines gives lines that many readers break at.
func longLines(t T, open Opener, start harness.Start, o Options) {
	t.Helper()
	for _, size := range []int{64 << 10, 1 << 20, 8 << 20, 32 << 20} {
		t := named{t, fmt.Sprintf("a line of %d bytes", size)}
		output := append(bytes.Repeat([]byte("x"), size), '\n')
		r := course{start: start, options: o, output: output, read: wholeReads}.session(t, open)
		checkRecord(t, r, start, o)
		checkAcknowledged(t, r, int64(len(output)))
	}
}
