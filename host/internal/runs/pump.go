package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// pump moves what the agent prints to the harness and what the harness makes
// of it to the log, until the agent and the harness have both ended. One
// goroutine, in loop, owns all of its state.
type pump struct {
	*drive
	sandbox    sandbox.Sandbox
	proc       string // the agent's process id in the sandbox
	journal    *journal.Journal
	host       harness.Host
	process    sandbox.Process // nil where an earlier attempt started it
	stdin      io.WriteCloser  // nil but for a duplex agent of this attempt
	wrapperErr tail            // what the wrapper itself had to say
	resumed    bool            // the agent was started by an earlier attempt

	history    []harness.Message // the thread's earlier turns
	resumes    string            // the agent's session that it goes on with; empty: a new one
	notResumed string            // why it doesn't, where the thread has had one; empty: it does, or there was none
	before     *anew             // an agent of this run that didn't know its session; nil: there was none

	read    func() int64              // bytes of the output that were read
	heard   int64                     // of these, when the silence was last looked into
	owed    atomic.Int64              // batches that the harness hasn't acknowledged
	control *queue[harness.ToHarness] // to the harness, before any lines
	input   *queue[[]byte]            // to the agent's stdin
	clocks  clocks
	asks    map[string]*waiting // requests that wait for a person
	places  map[string]bool     // other runs of the thread, and whether they had the same place; see here
	folders policy.Places       // of the sandbox; Dir and Link are each request's
	doings  activity            // what the agent is about
	quiet   quiet               // what was seen when a clock rang

	result   *harness.Result // the harness is done
	exit     *harness.Exit   // the agent has ended
	drained  bool            // and all of its output was read and acknowledged
	forced   *endError       // why we ended the agent; nil: we didn't
	stopped  bool            // a cancel request was acted on
	ending   bool            // the agent gave its result, and has only to exit
	killing  chan error      // nil until we kill
	killed   bool
	hung     bool // the harness reads no more
	oom      bool
	oomLimit string // what the provider says of it
}

// toEnd drives the agent to its end and tells how it went.
func (p *pump) toEnd(ctx context.Context, harn Harness) (store.Outcome, error) {
	prev, err := p.previous()
	if err != nil {
		return store.Outcome{}, err
	}
	if prev != nil {
		p.before = prev.Anew
	}
	switch {
	case prev != nil && prev.begun():
		o, ended, err := p.endPrevious(ctx, prev)
		if ended || err != nil {
			return o, err
		}
	case prev != nil: // the journal is of the agent before, which is dead
		if err := p.journal.Remove(ctx); err != nil {
			return store.Outcome{}, err
		}
	}
	if p.canceled.Err() != nil { // an earlier attempt may have started it
		return canceledOutcome(), p.killNow(ctx)
	}
	if err := p.checkAuth(); err != nil {
		return store.Outcome{}, err
	}
	if err := p.resume(ctx, prev); err != nil {
		return store.Outcome{}, err
	}
	if p.host, err = harn.Open(ctx); err != nil {
		return store.Outcome{}, harnessLost(err)
	}
	defer p.host.Close()
	if err := p.noteHarness(ctx, harn.SHA256()); err != nil {
		return store.Outcome{}, err
	}
	start, err := p.startMessage(p.resumed)
	if err != nil {
		return store.Outcome{}, err
	}
	if err := p.host.Send(ctx, start); err != nil {
		return store.Outcome{}, harnessLost(err)
	}
	launch, err := p.receiveLaunch(ctx, p.resumed)
	if err != nil {
		return store.Outcome{}, err
	}
	if err := p.notePlaces(harn.Traits(), launch); err != nil {
		return store.Outcome{}, err
	}
	if !p.resumed {
		p.sayNotResumed(ctx, prev)
		p.sayUnreached(ctx, harn.Traits())
		if err := p.start(ctx, launch); err != nil {
			return store.Outcome{}, err
		}
	}
	return p.loop(ctx)
}

// checkAuth refuses the host's own login where there is a wall between it and
// the agent.
func (p *pump) checkAuth() error {
	spec, wall := p.record.Spec, p.sandbox.Info().Isolation
	if spec.Harness.AuthMode != "host" || wall == sandbox.IsolationNone {
		return nil
	}
	return &endError{harness.ReasonBootstrapFailed, fmt.Sprintf(
		"harness %q has auth_mode = \"host\", but a sandbox of provider %q (isolation %s) doesn't see this machine's login; "+
			"use \"api-key\" and hand the key over as a workspace secret", spec.Harness.Name, spec.Provider.Type, wall)}
}

// endPrevious looks after an agent that an earlier attempt has launched: one
// whose pipe is gone is ended, any other is followed further.
func (p *pump) endPrevious(ctx context.Context, prev *launched) (o store.Outcome, ended bool, err error) {
	if prev.Stdin != harness.StdinDuplex {
		p.resumed, err = p.wasStarted(ctx)
		return o, false, err
	}
	started, err := p.wasStarted(ctx)
	if err == nil {
		err = p.killNow(ctx)
	}
	if err == nil && !started { // what the kill met may have begun since
		started, err = p.journal.Started(ctx)
	}
	if err != nil {
		return o, false, err
	}
	if started {
		return outcomeOf(p.lostAgent(), p.canceled.Err() != nil), true, nil
	}
	return o, false, nil // it never began: nothing is lost by starting it now
}

// noteHarness records which binary reads the journal, and says so if another
// one has read it before.
func (p *pump) noteHarness(ctx context.Context, sha string) error {
	if before := p.run.HarnessSHA256; before != "" && before != sha && p.resumed {
		p.log.host(ctx, warning("harness_changed", fmt.Sprintf(
			"the run was begun with harness binary %.12s and is read again with %.12s", before, sha)))
	}
	if err := p.update(ctx, store.RunUpdate{HarnessSHA256: &sha}); err != nil {
		return fmt.Errorf("note harness of the run: %w", err)
	}
	return nil
}

// streams are the pump's goroutines as the loop sees them.
type streams struct {
	messages chan harness.FromHarness // what the harness says
	broken   chan error               // its stream ended; io.EOF after Done
	tooLong  chan int64               // a line was dropped; all before it is in the log
	drained  chan error               // all output is read and acknowledged
	acks     chan struct{}            // one for each batch that the harness has read
	ended    chan ended               // the agent's process is gone
}

// ready is the harness's next message, if it has come already.
func (s *streams) ready() (harness.FromHarness, bool) {
	select {
	case m := <-s.messages:
		return m, true
	default:
		return nil, false
	}
}

type ended struct {
	exit  sandbox.Exit
	known bool
	err   error
}

// loop is the pump at work.
func (p *pump) loop(ctx context.Context) (_ store.Outcome, err error) {
	if err := p.log.rewind(ctx, p.before); err != nil {
		return store.Outcome{}, fmt.Errorf("read the log again: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	defer func() {
		if err != nil && ctx.Err() == nil {
			p.endFed(ctx)
		}
	}()

	reader := p.journal.Out(p.lineCap())
	p.control, p.input, p.asks = newQueue[harness.ToHarness](), newQueue[[]byte](), map[string]*waiting{}
	p.read = reader.Read
	s := p.begin(ctx, &group, reader)
	p.clocks.start(p.record.Spec.Timeouts)
	defer p.clocks.stop()
	canceled := p.canceled.Done()

	for !p.over() {
		select {
		case <-ctx.Done():
			return store.Outcome{}, context.Cause(ctx)
		case m := <-s.messages:
			if err := p.message(ctx, s, m); err != nil {
				return store.Outcome{}, err
			}
		case err := <-s.broken:
			s.broken = nil
			if err := p.streamEnded(ctx, s, err); err != nil {
				return store.Outcome{}, err
			}
		case n := <-s.tooLong:
			if err := p.lineTooLong(ctx, n); err != nil {
				return store.Outcome{}, err
			}
		case e := <-s.ended:
			if e.err != nil {
				return store.Outcome{}, e.err
			}
			reader.Ended()
			s.ended = nil
			if err := p.agentEnded(ctx, e); err != nil {
				return store.Outcome{}, err
			}
		case err := <-s.drained:
			s.drained = nil
			if err := p.outputEnded(ctx, err); err != nil {
				return store.Outcome{}, err
			}
		case <-canceled:
			canceled = nil
			p.beginCancel()
		case err := <-p.killing:
			if err != nil {
				return store.Outcome{}, p.undead(err)
			}
			p.killing, p.killed = nil, true
		case <-p.clocks.answers():
			if err := p.collectAnswers(ctx); err != nil {
				return store.Outcome{}, err
			}
		case a := <-p.clocks.rang():
			if p.clocks.current(a) {
				p.clockRang(ctx, a.name)
			}
		}
	}
	return p.finish(ctx)
}

// over reports whether nothing more can come.
func (p *pump) over() bool {
	return p.result != nil && p.exit != nil && (p.drained || p.hung)
}

// streamEnded takes what the harness had said before its stream ended, and then
// asks what the end means.
func (p *pump) streamEnded(ctx context.Context, s *streams, err error) error {
	for m, ok := s.ready(); ok; m, ok = s.ready() {
		if err := p.message(ctx, s, m); err != nil {
			return err
		}
	}
	if p.result != nil {
		return nil
	}
	return p.harnessBroke(err)
}

// harnessBroke decides what the end of the harness's stream means.
func (p *pump) harnessBroke(err error) error {
	if p.stopped || p.forced != nil {
		// We are ending the agent anyway, and know why.
		p.hung = true
		p.result = &harness.Result{Reason: harness.ReasonCrashed, Message: err.Error()}
		return nil
	}
	if p.process != nil && p.stdin != nil {
		// A pipe can't be read again: the agent is lost with its translator.
		return &endBy{&endError{harness.ReasonPluginCrashed, "the harness plugin ended in the middle of the run: " + err.Error()}, err}
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended without a result")
	}
	return harnessLost(err)
}
