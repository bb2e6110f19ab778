package providertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// bed is what one case runs in: a sandbox of its own and ways to use it that
// end the case where they don't work.
type bed struct {
	tester
	suite *suite
	ctx   context.Context //nolint:containedctx // of the case; every call in it takes it
	key   string          // identity key of sb
	sb    sandbox.Sandbox // as the first plugin process has it
	ids   atomic.Int64

	controlled sync.Once // the control beat was started
}

func newKey() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	return hex.EncodeToString(key[:])
}

func (b *bed) first() sandbox.Provider  { return b.suite.plugins[0].Provider }
func (b *bed) second() sandbox.Provider { return b.suite.plugins[1].Provider }

func (b *bed) request() sandbox.CreateRequest {
	return b.requestFor(b.key)
}

func (b *bed) requestFor(key string) sandbox.CreateRequest {
	return sandbox.CreateRequest{
		Key: key, Harness: "conformance",
		Labels: sandbox.Labels{
			Owner: b.suite.opts.Owner, HostBoot: "boot-of-the-suite", Project: "/home/someone/a project",
			Thread: "thread-1", Key: key,
		},
	}
}

// create makes a sandbox that the end of the case destroys.
func (b *bed) create(req sandbox.CreateRequest) sandbox.Sandbox {
	b.Helper()
	sb, err := b.first().Create(b.ctx, req)
	if err != nil {
		b.Fatalf("create sandbox: %v", err)
	}
	b.destroyAtEnd(sb.ID())
	return sb
}

func (b *bed) destroyAtEnd(id string) {
	b.suite.remember(id)
	b.Cleanup(func() {
		ctx, cancel := b.afterwards()
		defer cancel()
		if err := b.first().Destroy(ctx, id); err != nil {
			b.Errorf("destroy sandbox %s: %v", id, err)
		}
	})
}

// afterwards is a context for cleaning up.
func (b *bed) afterwards() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(b.ctx), time.Minute)
}

// resume finds the case's sandbox through another plugin process.
func (b *bed) resume(p sandbox.Provider) sandbox.Sandbox {
	b.Helper()
	sb, err := p.Resume(b.ctx, sandbox.ResumeRequest{ID: b.sb.ID()})
	if err != nil {
		b.Fatalf("resume sandbox %s: %v", b.sb.ID(), err)
	}
	return sb
}

// open starts one more plugin process; the end of the case closes it.
func (b *bed) open() *Plugin {
	b.Helper()
	p, err := b.suite.opts.Open(b.ctx)
	if err != nil {
		b.Fatalf("open plugin process: %v", err)
	}
	b.Cleanup(func() { _ = p.Close() }) // the case may have ended it
	return p
}

// id makes an id for a command that no other command of the case has.
func (b *bed) id(prefix string) string {
	return fmt.Sprintf("%s-%d", prefix, b.ids.Add(1))
}

// isLocal reports whether the sandbox's files and processes are this machine's.
func (b *bed) isLocal() bool { return b.sb.Info().Isolation == sandbox.IsolationNone }

// mustBe checks the class of an error.
func (b *bed) mustBe(what string, err error, want ...sandbox.Class) {
	b.Helper()
	switch got := sandbox.ClassOf(err); {
	case err == nil:
		b.Errorf("%s: no error, want class %q", what, want)
	case !slices.Contains(want, got):
		b.Errorf("%s: class %q, want %q: %v", what, got, want, err)
	}
}

// mustBeUnsupported checks that a refusal names the capability.
func (b *bed) mustBeUnsupported(what, capability string, err error) {
	b.Helper()
	b.mustBe(what, err, sandbox.Unsupported)
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Class == sandbox.Unsupported && e.Capability != capability {
		b.Errorf("%s: the error names the capability %q, want %q", what, e.Capability, capability)
	}
}

func (b *bed) noError(what string, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}
