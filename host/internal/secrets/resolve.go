package secrets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fetcher fetches values, each once: what is scrubbed at the end of a run is
// the value that its agent was given, and a command that asks somebody to unlock
// something asks once. Its exported fields aren't to be changed while it is used;
// it is safe for concurrent use, and must not be copied.
type Fetcher struct {
	// Env reads the host's environment.
	Env func(name string) (string, bool)
	// Values are those that stand in the configuration, by name of the secret.
	Values map[string]string
	// Environ is the whole environment of commands, NAME=value.
	Environ []string
	// Home is the folder of the host's state; commands that run are noted there.
	Home string
	// NoCommands has a secret that comes from a command count as missing.
	NoCommands bool

	timeout time.Duration // of commands; 0: CommandTimeout
	mu      sync.Mutex
	fetched map[string]*fetched
}

// fetched is a value, or what is in its way, once done is closed.
type fetched struct {
	done    chan struct{}
	value   string
	problem *Problem // without the secret's name
	printed []byte   // by a command that failed: a value may be in it, and be repeated in the problem
	err     error    // it wasn't looked for to the end
}

// Resolve fetches the value of each secret. An empty value counts as missing. The
// set has what can be had, also beside an error, which joins a [*Problem] for each
// secret that can't be, in the order of their names. Any other error, such as that
// of ctx, comes without a set.
func (f *Fetcher) Resolve(ctx context.Context, sources map[string]Source) (*Set, error) {
	set := &Set{values: make(map[string]string, len(sources))}
	var scrubbed, printed []string
	var problems []*Problem
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("resolve secrets: %w", err)
		}
		src := sources[name]
		got := f.get(ctx, name, src)
		if got.err != nil {
			return nil, fmt.Errorf("resolve secret %s: %w", name, got.err)
		}
		p := got.problem
		if p == nil {
			p = check(src, got.value)
		}
		if p != nil {
			problems = append(problems, &Problem{name, p.Reason, p.Fix})
			printed = append(printed, line(got.printed))
			continue
		}
		set.values[name] = got.value
		if src.Redact {
			scrubbed = append(scrubbed, got.value)
		}
	}
	set.redactor = newRedactor(scrubbed)
	return set, joined(problems, append(printed, scrubbed...))
}

// joined is one error of all problems, scrubbed: a command may tell what it knows.
func joined(problems []*Problem, values []string) error {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < fragment })
	r := newRedactor(values)
	all := make([]error, len(problems))
	for i, p := range problems {
		p.Reason = string(r.Piece([]byte(p.Reason)))
		all[i] = p
	}
	return errors.Join(all...)
}

// Look tells what Resolve would, but for what only running a command tells: of one
// it is seen whether its program is there.
func (f *Fetcher) Look(ctx context.Context, sources map[string]Source) error {
	fetch := make(map[string]Source, len(sources))
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		src := sources[name]
		if len(src.Command) == 0 || !src.one() {
			fetch[name] = src
			continue
		}
		if _, p := findProgram(src.Command[0], src.Dir, f.path()); p != nil {
			problems = append(problems, &Problem{name, p.Reason, p.Fix})
		}
	}
	_, err := f.Resolve(ctx, fetch)
	if more, ok := err.(interface{ Unwrap() []error }); ok {
		problems = append(problems, more.Unwrap()...)
	} else if err != nil {
		return err
	}
	slices.SortStableFunc(problems, func(a, b error) int { return strings.Compare(secretOf(a), secretOf(b)) })
	return errors.Join(problems...)
}

func secretOf(err error) string {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Secret
	}
	return ""
}

func (f *Fetcher) path() string {
	if f.Env == nil {
		return ""
	}
	path, _ := f.Env("PATH")
	return path
}

// get fetches a value, or waits for who does already.
func (f *Fetcher) get(ctx context.Context, name string, src Source) *fetched {
	key := src.key(name)
	for {
		f.mu.Lock()
		was := f.fetched[key]
		if was == nil {
			was = &fetched{done: make(chan struct{})}
			if f.fetched == nil {
				f.fetched = map[string]*fetched{}
			}
			f.fetched[key] = was
			f.mu.Unlock()
			f.fetch(ctx, name, src, was)
			if was.err != nil || was.problem != nil && len(src.Command) == 0 { // it may be mended meanwhile
				f.mu.Lock()
				delete(f.fetched, key)
				f.mu.Unlock()
			}
			close(was.done)
			return was
		}
		f.mu.Unlock()
		select {
		case <-was.done:
		case <-ctx.Done():
			return &fetched{err: ctx.Err()}
		}
		if was.err == nil {
			return was
		}
	}
}

func (f *Fetcher) fetch(ctx context.Context, name string, src Source, to *fetched) {
	switch {
	case !src.one():
		to.problem = wrong("give it env, file, command or value in its secret block", "it doesn't have exactly one source")
	case src.File != "":
		to.value, to.problem = readFile(src.File)
	case len(src.Command) > 0:
		f.command(ctx, src, to)
	case src.Value:
		if to.value = f.Values[name]; to.value == "" {
			to.problem = wrong("set value in its secret block, and start the run from its configuration", "its value is missing or empty")
		}
	default:
		v, ok := f.Env(src.Env)
		switch {
		case !ok:
			to.problem = wrong("export "+src.Env+"=...", "the environment variable %s isn't set", src.Env)
		case v == "":
			to.problem = wrong("export "+src.Env+"=...", "the environment variable %s is empty", src.Env)
		}
		to.value = v
	}
}

func (f *Fetcher) command(ctx context.Context, src Source, to *fetched) {
	if f.NoCommands {
		to.problem = wrong("start a run", "its command isn't run for this")
		return
	}
	program, p := findProgram(src.Command[0], src.Dir, f.path())
	if p != nil {
		to.problem = p
		return
	}
	c := command{append([]string{program}, src.Command[1:]...), src.Dir, f.Environ, f.timeout, folderIn(f.Home)}
	if c.timeout == 0 {
		c.timeout = CommandTimeout
	}
	out, p, err := c.run(ctx)
	to.problem, to.err = p, err
	if p != nil || err != nil {
		to.printed = out.stdout
		return
	}
	to.value = line(out.stdout)
}

func check(src Source, value string) *Problem {
	switch {
	case strings.ContainsRune(value, 0):
		return wrong("store it as text, encoded if need be", "its value, from %s, has a NUL byte, which no environment can hold: it may be binary, or text in UTF-16", src)
	case src.Redact && len(value) < shortest:
		return wrong("use a longer one, or set redact = false in its secret block",
			"its value, from %s, has fewer than %d bytes, too few to scrub from output", src, shortest)
	}
	return nil
}
