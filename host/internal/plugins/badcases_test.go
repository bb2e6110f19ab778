//go:build linux

package plugins_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// files are bad before they are run.
func files() []bad {
	return []bad{
		{
			name: "it isn't executable", make: content("#!/bin/sh\n", 0o644), class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: it is not executable (chmod +x DIR/sandlot-provider-probe)`,
		},
		{
			name: "others may write it", make: content("#!/bin/sh\n", 0o777), class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: others may write the file (chmod go-w DIR/sandlot-provider-probe)`,
		},
		{
			name: "others may write its folder", make: func(t *testing.T, path string) {
				content("#!/bin/sh\n", 0o755)(t, path)
				must(t, os.Chmod(filepath.Dir(path), 0o777))
			}, class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: others may write the folder DIR (chmod go-w DIR)`,
		},
		{
			name: "it is a link to a file that others may write", make: func(t *testing.T, path string) {
				content("#!/bin/sh\n", 0o777)(t, path+"-real")
				must(t, os.Symlink(path+"-real", path))
			}, class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: others may write the file (chmod go-w DIR/sandlot-provider-probe-real)`,
		},
		{
			name: "it is a link that leads nowhere", make: func(t *testing.T, path string) {
				must(t, os.Symlink("/no/such/file", path))
			}, class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: it is a link that leads nowhere`,
		},
		{
			name: "it is a folder", make: func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }, class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: it is not a file`,
		},
		{
			name: "it is a pipe", make: func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o755)) }, class: sandbox.Denied,
			tell: `find provider "probe": DIR/sandlot-provider-probe is not run: it is not a file`,
		},
		{
			name: "it isn't there", make: func(*testing.T, string) {}, class: sandbox.NotFound,
			tell: `find provider "probe": there is no sandlot-provider-probe in DIR`,
		},
		{
			name: "it is empty", make: content("", 0o755), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it is empty: install it again`,
		},
		{
			name: "it is text", make: content("hello\n", 0o755), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it is not a program for linux/amd64: it has neither a program's header nor a #! line`,
		},
		{
			name: "it was built for another processor", make: patched(18, "\xb7\x00"), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it was built for another processor (aarch64); this is linux/amd64: install the build for this system`,
		},
		{
			name: "it was built for Windows", make: content("MZ\x90\x00", 0o755), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it was built for Windows; this is linux/amd64: install the build for this system`,
		},
		{
			name: "it is cut off", make: content("\x7fELF\x02\x01", 0o755), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it is not a program for linux/amd64: it is cut off or damaged; install it again`,
		},
		{
			name: "its interpreter isn't there", make: content("#!/usr/bin/no-such-python3 -u\n", 0o755), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it needs the interpreter "/usr/bin/no-such-python3 -u", which isn't installed`,
		},
		{
			name: "its loader isn't there", make: func(t *testing.T, path string) {
				data, err := os.ReadFile("/bin/sh")
				must(t, err)
				at := bytes.Index(data, []byte("/ld-linux"))
				if at < 0 {
					t.Fatal("/bin/sh has no loader")
				}
				copy(data[at:], "/no-linux")
				content(string(data), 0o755)(t, path)
			}, class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: it needs the loader "/lib64/no-linux-x86-64.so.2", which isn't installed: it was linked on another system; take a static build (CGO_ENABLED=0)`,
		},
		{
			name: "it is being written", make: func(t *testing.T, path string) {
				content("#!/bin/sh\n", 0o755)(t, path)
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				must(t, err)
				t.Cleanup(func() { _ = f.Close() })
			}, class: sandbox.Conflict,
			tell: `describe DIR/sandlot-provider-probe: it is being written: wait until it is installed, or end who writes it; install a plugin by renaming it into place`,
		},
	}
}

// patched is a program of ours with other bytes somewhere.
func patched(at int, with string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		data, err := os.ReadFile(os.Getenv("TEST_ROGUE"))
		must(t, err)
		copy(data[at:], with)
		content(string(data), 0o755)(t, path)
	}
}

// describes are bad when they are asked what they are.
func describes() []bad {
	say := func(json string) func(*testing.T, string) { return shell("echo '" + json + "'\n") }
	return []bad{
		{
			name: "describe hangs", make: shell("echo 'waiting for the network' >&2\nexec sleep 60"), class: sandbox.TimedOut,
			tell: `describe DIR/sandlot-provider-probe: it did not answer within 2s: it hangs, or is no plugin; its last words: waiting for the network`,
		},
		{
			name: "describe ends at once and says nothing", make: shell("exit 0"), class: sandbox.Internal,
			tell: `describe DIR/sandlot-provider-probe: it printed nothing: it is no plugin of Sandlot, which would print what it is`,
		},
		{
			name: "describe is an argument that it doesn't know", make: shell("echo \"usage: $0 [-v]\" >&2; exit 64"), class: sandbox.Unavailable,
			tell: `describe DIR/sandlot-provider-probe: it exited with code 64 (usage: DIR/sandlot-provider-probe [-v]) instead of saying what it is: it is no plugin of Sandlot, or a broken one`,
		},
		{
			name: "describe is killed", make: shell("kill -9 $$"), class: sandbox.Unavailable,
			tell: `describe DIR/sandlot-provider-probe: it was killed (SIGKILL: by somebody, or by the system for want of memory) in describe; report: REPORT`,
		},
		{
			name: "describe panics", make: shell("printf 'panic: boom\\n\\ngoroutine 1 [running]:\\nmain.main()\\n' >&2; exit 2"), class: sandbox.Unavailable,
			tell: `describe DIR/sandlot-provider-probe: it crashed (panic: boom) in describe; report: REPORT`,
		},
		{
			name: "describe prints bytes", make: shell("printf '\\033[2J\\377\\000\\001'"), class: sandbox.Internal,
			tell: `describe DIR/sandlot-provider-probe: it printed "\x1b[2J\xff\x00\x01" and no description: it is no plugin of Sandlot`,
		},
		{
			name: "describe prints without end", make: shell("exec cat /dev/zero"), class: sandbox.TimedOut,
			tell: `describe DIR/sandlot-provider-probe: it did not answer within 2s: it hangs, or is no plugin`,
		},
		{
			name: "describe floods stderr with a line of 100 MB", make: shell("head -c 100000000 /dev/zero >&2; echo >&2; echo 'no space' >&2; exit 3"), class: sandbox.Unavailable,
			tell: `describe DIR/sandlot-provider-probe: it exited with code 3 (no space) instead of saying what it is: it is no plugin of Sandlot, or a broken one`,
		},
		{
			name: "its description is enormous", make: shell("head -c 5000000 /dev/zero | tr '\\0' x"), class: sandbox.Invalid,
			tell: `describe DIR/sandlot-provider-probe: it printed more than 1024 KiB: that is no description of a plugin`,
		},
		{
			name: "its schema isn't one", make: say(`{"kind":"provider","type":"probe","protocols":[1],"schema":{"attributes":"many"}}`), class: sandbox.Invalid,
			tell: `describe DIR/sandlot-provider-probe: its description can't be read: json: cannot unmarshal string into Go struct field Block.schema.attributes of type []schema.Attribute`,
		},
		{
			name: "it is another plugin than its name says", make: say(`{"kind":"harness","type":"acp","protocols":[1]}`), class: sandbox.Invalid,
			tell: `describe DIR/sandlot-provider-probe: it says that it is the harness "acp", and has the name of the provider "probe" (rename it to sandlot-harness-acp)`,
		},
		{
			name: "it is too new", make: say(`{"kind":"provider","type":"probe","version":"4.0.0","protocols":[3,4]}`), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: version 4.0.0 speaks protocol 3 and 4, this program speaks 1 (update sandlot, or take an older version of the plugin)`,
		},
		{
			name: "it is too old", make: say(`{"kind":"provider","type":"probe","version":"0.0.1","protocols":[0]}`), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: version 0.0.1 speaks protocol 0, this program speaks 1 (update the plugin)`,
		},
		{
			name: "it speaks nothing", make: say(`{"kind":"provider","type":"probe","version":"0.0.1"}`), class: sandbox.Unsupported,
			tell: `describe DIR/sandlot-provider-probe: version 0.0.1 speaks protocol none, this program speaks 1 (update the plugin)`,
		},
		{
			name: "it is replaced once it has described itself", make: func(t *testing.T, path string) {
				served("exit 0")(t, path+".next")
				shell(`"`+os.Getenv("TEST_ROGUE")+`" describe; mv "$0.next" "$0"`+"\n")(t, path)
			}, class: sandbox.Conflict,
			tell: `start plugin: DIR/sandlot-provider-probe was replaced while it was being started (try again once it is installed)`,
		},
	}
}

// starts are bad when they are started.
func starts() []bad {
	return []bad{
		{
			name: "the start hangs", make: served("echo 'dialing the license server' >&2\nexec sleep 60"), class: sandbox.TimedOut,
			tell: `start sandlot-provider-probe: it runs and did not say within 3s how to reach it: it hangs, or is no plugin; its last words: dialing the license server`,
		},
		{
			name: "it ends at once", make: served("exit 0"), class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it exited with code 0 before it said how to reach it`,
		},
		{
			name: "it exits with a word", make: served("echo 'no licence' >&2; exit 9"), class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it exited with code 9 (no licence) before it said how to reach it`,
		},
		{
			name: "it is killed", make: served("kill -9 $$"), class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it was killed (SIGKILL: by somebody, or by the system for want of memory) before it said how to reach it; report: REPORT`,
		},
		{
			name: "it panics", make: served("printf 'panic: boom\\n\\ngoroutine 1 [running]:\\nmain.main()\\n' >&2; exit 2"), class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it crashed (panic: boom) before it said how to reach it; report: REPORT`,
		},
		{
			name: "it prints before it serves", make: served("echo 'Starting plugin...'\nexec \"" + os.Getenv("TEST_ROGUE") + `"`), class: sandbox.Internal,
			tell: `start sandlot-provider-probe: it printed "Starting plugin..." on stdout, where the plugin's handshake belongs: it is no plugin, or prints before it serves; a plugin's own words belong on stderr`,
		},
		{
			name: "it prints bytes", make: served("printf '\\033[2J\\377\\000\\001\\n'; exec sleep 60"), class: sandbox.Internal,
			tell: `start sandlot-provider-probe: it printed "\x1b[2J\xff\x00\x01" on stdout, where the plugin's handshake belongs: it is no plugin, or prints before it serves; a plugin's own words belong on stderr`,
		},
		{
			name: "it prints a line without end", make: served("exec cat /dev/zero"), class: sandbox.Internal,
			tell: `start sandlot-provider-probe: it printed "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"... on stdout, where the plugin's handshake belongs: it is no plugin, or prints before it serves; a plugin's own words belong on stderr`,
		},
		{
			name: "it is another product's plugin", make: linked("TEST_ROGUE"), env: "another product", class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it exited with code 1 (load any plugins automatically) before it said how to reach it`,
		},
		{
			name: "it serves another protocol", make: linked("TEST_ROGUE"), env: "protocol 7", class: sandbox.Unsupported,
			tell: `start sandlot-provider-probe: it speaks protocol 7, this program speaks 1: update sandlot, or take an older version of the plugin`,
		},
		{
			name: "it has certificates of its own", make: linked("TEST_ROGUE"), env: "own TLS", class: sandbox.Unsupported,
			tell: `start sandlot-provider-probe: it serves without TLS, or with certificates of its own (its handshake has none); this program talks to plugins by mutual TLS only: build it with the SDK's ServeProvider or ServeHarness`,
		},
		{
			name: "its socket is silent", make: linked("TEST_ROGUE"), env: "silence", class: sandbox.TimedOut,
			tell: `start sandlot-provider-probe: it runs, and what listens on its socket doesn't answer within 3s: it hangs, or is no plugin of Sandlot`,
		},
		{
			name: "its socket speaks another language", make: linked("TEST_ROGUE"), env: "garbage", class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it runs and can't be talked to: what answers on its socket is no plugin of Sandlot: rpc error ...`,
		},
		{
			name: "it serves nothing that we know", make: linked("TEST_ROGUE"), class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it runs and can't be talked to: what answers on its socket is no plugin of Sandlot: rpc error ...`,
		},
	}
}

// calls are bad once they serve.
func calls() []bad {
	plugin := linked("TEST_PLUGIN")
	return []bad{
		{
			name: "Configure hangs", make: plugin, conf: `{"early":"hang"}`, class: sandbox.TimedOut,
			tell: `configure sandlot-provider-probe: sandlot-provider-probe did not answer within 2s, provider "probe" "p" at app.hcl:3: it hangs, or what it works with does`,
		},
		{
			name: "Configure ends it", make: plugin, conf: `{"early":"exit"}`, class: sandbox.Unavailable,
			tell: `configure sandlot-provider-probe: the probe plugin exited with code 7 (the licence has run out) in Configure, provider "probe" "p" at app.hcl:3; report: REPORT`,
		},
		{
			name: "its answer about itself is garbage", make: linked("TEST_ROGUE"), env: "garbled Describe", class: sandbox.Unavailable,
			tell: `start sandlot-provider-probe: it runs and can't be talked to: what answers on its socket is no plugin of Sandlot: rpc error ...`,
		},
		{
			name: "its answer to Configure is garbage", make: linked("TEST_ROGUE"), env: "garbled Configure", class: sandbox.Internal,
			tell: `configure sandlot-provider-probe: sandlot-provider-probe answered with what is no message of the protocol, provider "probe" "p" at app.hcl:3: it is damaged, or was built with another SDK`,
		},
		{
			name: "its answer to a call is garbage", make: linked("TEST_ROGUE"), env: "garbled List", class: sandbox.Internal,
			tell: `list sandboxes: sandlot-provider-probe answered with what is no message of the protocol, provider "probe" "p" at app.hcl:3: it is damaged, or was built with another SDK`,
		},
		{
			name: "a call hangs", make: plugin, conf: `{"fault":"hang"}`, class: sandbox.TimedOut,
			tell: `list sandboxes: sandlot-provider-probe did not answer within 2s, provider "probe" "p" at app.hcl:3: it hangs, or what it works with does`,
		},
		{
			name: "a child keeps its pipes open", make: served("sleep 60 &\nexec " + os.Getenv("TEST_PLUGIN")), conf: `{"fault":"exit"}`, class: sandbox.Unavailable,
			tell: `list sandboxes: the probe plugin exited with code 7 (the licence has run out) in List, provider "probe" "p" at app.hcl:3; report: REPORT`,
		},
		{
			name: "it floods stderr while it works", make: served("(while :; do head -c 1000000 /dev/zero >&2; done) &\nexec " + os.Getenv("TEST_PLUGIN")), conf: `{"fault":"kill"}`, class: sandbox.Unavailable,
			tell: `list sandboxes: the probe plugin was killed (SIGKILL: by somebody, or by the system for want of memory) in List, provider "probe" "p" at app.hcl:3; report: REPORT`,
		},
	}
}
