package providertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// A copy is what a snapshot and its restore, or a fork, make of a sandbox.

// lateBytes is how many bytes of a file are written right before a copy: enough for
// most of them not to have reached the disk.
const lateBytes = 16 << 20

// furnish fills a sandbox with what a copy must have, and its state folder with
// what none may have. The last file is a big one.
func (b *bed) furnish(sb sandbox.Sandbox) {
	b.Helper()
	info := sb.Info()
	b.shIn(sb, `
		umask 022
		printf old >file && chmod 640 file
		mkdir -p dir/deep empty && chmod 700 empty
		printf '#!/bin/sh\necho ran\n' >dir/deep/program && chmod 755 dir/deep/program
		ln -s ../file dir/link && ln -s nowhere dangling
		printf gone >removed && : >nothing
		printf strange >"$(printf 'a \303\251 \377 name')"
		printf home >"$1/of-home"
		printf secret >"$2/prompt" && mkdir "$2/journals" && printf secret >"$2/journals/1"
		head -c "$3" /dev/urandom >big`, info.Home, info.StateDir, fmt.Sprint(lateBytes))
}

// look tells all that furnish made, with what is in it.
func (b *bed) look(sb sandbox.Sandbox) string {
	b.Helper()
	return b.shIn(sb, `
		for f in file empty dir/deep/program nothing big; do
			set -- "$1" $(ls -ld "$f") && echo "$f ${2%[.+@]}"
		done
		for f in dir/link dangling; do echo "$f $(readlink "$f")"; done
		cat file dir/link "$1/of-home" a*name && dir/deep/program
		ls -A . dir empty
		cksum <big 2>/dev/null || md5sum <big`, sb.Info().Home)
}

// isCopy checks that a sandbox has what another had.
func (b *bed) isCopy(what string, sb sandbox.Sandbox, had string) {
	b.Helper()
	if got := b.look(sb); got != had {
		b.Errorf("%s holds %q, want %q", what, got, had)
	}
	info := sb.Info()
	if got := b.shIn(sb, `cd "$1" && ls -ld . && find . ! -name . | sort`, info.StateDir); !strings.HasPrefix(got, "drwx------") ||
		strings.Contains(got, "prompt") || strings.Contains(got, "journals") {
		b.Errorf("the state folder of %s: %q, want mode 0700 and nothing of its source's", what, got)
	}
}

// apart checks that what happens to the files of one sandbox isn't seen in
// another.
func (b *bed) apart(one, other sandbox.Sandbox) {
	b.Helper()
	if one.ID() == other.ID() {
		b.Fatalf("a copy has the id of its source, %s", one.ID())
	}
	b.shIn(one, `printf changed >file && rm removed && printf x >added && printf changed >"$1/of-home"`, one.Info().Home)
	if got := b.shIn(other, `cat file removed "$1/of-home" && ls added 2>/dev/null || :`, other.Info().Home); got != "oldgonehome" {
		b.Errorf("what was changed in sandbox %s is in %s: %q", one.ID(), other.ID(), got)
	}
}

// asked checks that a sandbox is what the request for it said.
func (b *bed) asked(make func(sandbox.CreateRequest) (sandbox.Sandbox, error)) sandbox.Sandbox {
	b.Helper()
	req := b.requestFor(newKey())
	req.Labels.Thread = "of the copy"
	req.Env = map[string]string{"BASE": "of the copy"}
	sb := b.made(make(req))
	if got := b.shIn(sb, `printf %s "$BASE"`); got != "of the copy" {
		b.Errorf("its environment has BASE=%q", got)
	}
	if found := b.listed(b.second(), req.Key); len(found) != 1 || found[0].ID != sb.ID() || found[0].Labels != req.Labels {
		b.Errorf("it is listed as %+v, want id %s and %+v", found, sb.ID(), req.Labels)
	}
	if got, want := sb.Info().Capabilities, b.sb.Info().Capabilities; got != want {
		b.Errorf("its capabilities are %+v, those of its source %+v", got, want)
	}
	b.putIn(sb, "mine", "x")
	again := b.made(make(req))
	if again.ID() != sb.ID() {
		b.Errorf("the same key gave sandboxes %q and %q", sb.ID(), again.ID())
	}
	b.shIn(again, "test -f mine")
	b.closedAsAsked(make)
	return sb
}

func (b *bed) putIn(sb sandbox.Sandbox, path, content string) {
	b.Helper()
	b.shIn(sb, `printf %s "$2" >"$1"`, path, content)
}

// closedAsAsked checks that the decision on the network of a copy is its own.
func (b *bed) closedAsAsked(make func(sandbox.CreateRequest) (sandbox.Sandbox, error)) {
	b.Helper()
	req := b.requestFor(newKey())
	req.Network = sandbox.Network{Deny: true}
	sb, err := make(req)
	if reach(b.first().Capabilities().NetworkPolicy) > 0 {
		sb = b.made(sb, err)
		if r := b.runIn(sb, sandbox.Command{Script: b.suite.opts.OpenNetwork}); r.exit.Ok() {
			b.Errorf("its network is open, and was to be closed")
		}
		return
	}
	b.mustBeUnsupported("a copy with a closed network", "network_policy", err)
	if err == nil {
		b.destroyAtEnd(sb.ID())
	}
}

// made is a sandbox that the end of the case destroys.
func (b *bed) made(sb sandbox.Sandbox, err error) sandbox.Sandbox {
	b.Helper()
	if err != nil {
		b.Fatalf("copy sandbox: %v", err)
	}
	b.destroyAtEnd(sb.ID())
	return sb
}

// snapshot makes one that the end of the case deletes.
func (b *bed) snapshot(sb sandbox.Sandbox, label string) sandbox.Snapshot {
	b.Helper()
	snap, err := b.trySnapshot(sb, label)
	if err != nil {
		b.Fatalf("snapshot sandbox: %v", err)
	}
	b.deleteAtEnd(snap.ID)
	return snap
}

func (b *bed) trySnapshot(sb sandbox.Sandbox, label string) (sandbox.Snapshot, error) {
	s, err := sandbox.As[sandbox.Snapshotable](sb)
	if err != nil {
		return sandbox.Snapshot{}, err
	}
	return s.Snapshot(b.ctx, sandbox.SnapshotRequest{Label: label, Labels: b.request().Labels})
}

func (b *bed) deleteAtEnd(id string) {
	b.suite.remember(id)
	b.Cleanup(func() {
		ctx, cancel := b.afterwards()
		defer cancel()
		if err := b.snapshots(b.first()).DeleteSnapshot(ctx, id); err != nil {
			b.Errorf("delete snapshot %s: %v", id, err)
		}
	})
}

func (b *bed) snapshots(p sandbox.Provider) sandbox.Snapshotter {
	b.Helper()
	s, err := sandbox.AsProvider[sandbox.Snapshotter](p)
	b.noError("ask for snapshots", err)
	return s
}

// kept returns the snapshots with the labels of this case.
func (b *bed) kept(p sandbox.Provider) []sandbox.Snapshot {
	b.Helper()
	all, err := b.snapshots(p).Snapshots(b.ctx)
	b.noError("list snapshots", err)
	return slices.DeleteFunc(all, func(s sandbox.Snapshot) bool { return s.Labels.Key != b.key })
}
