package providertest

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func forkCases() []testCase {
	return []testCase{
		{"a fork has all files but the state folder's, and is apart from its source", forkApart},
		{"a fork is what its request says, and one for each key", forkAsked},
		{"a fork does to what runs no more than it says", forkDisrupts},
		{"a fork that says it was canceled leaves nothing", canceledFork},
	}
}

func (b *bed) fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	source, err := sandbox.As[sandbox.Forker](b.sb)
	if err != nil {
		return nil, err
	}
	return source.Fork(ctx, req)
}

func forkApart(b *bed) {
	b.furnish(b.sb)
	sb := b.made(b.fork(b.ctx, b.requestFor(newKey())))
	b.isCopy("the fork", sb, b.look(b.sb))
	b.apart(sb, b.sb)
	last := b.made(b.fork(b.ctx, b.requestFor(newKey())))
	b.apart(b.sb, last)
	b.noError("destroy a fork", b.first().Destroy(b.ctx, sb.ID()))
	if got := b.sh("cat file added"); got != "changedx" {
		b.Errorf("after the end of its fork the source has %q", got)
	}
	b.noError("destroy the source", b.first().Destroy(b.ctx, b.sb.ID()))
	if got := b.shIn(last, "cat file removed"); got != "oldgone" {
		b.Errorf("after the end of its source the fork has %q", got)
	}
}

func forkAsked(b *bed) {
	b.put("file", []byte("x"))
	sb := b.asked(func(req sandbox.CreateRequest) (sandbox.Sandbox, error) { return b.fork(b.ctx, req) })
	b.shIn(sb, "test -f file")
}

func canceledFork(b *bed) {
	b.furnish(b.sb)
	b.canceledMake("fork", b.fork)
	b.sh("test -f file")
}
