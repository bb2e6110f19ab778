package providertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func portCases() []testCase {
	return []testCase{
		{"what listens on a port is reached by its URL, from every plugin process", portReached},
		{"a port that isn't open any more is Invalid and says how to declare it", portUndeclared},
		{"what can be no port is Invalid", portNone},
	}
}

func (b *bed) porter(sb sandbox.Sandbox) sandbox.Porter {
	b.Helper()
	p, err := sandbox.As[sandbox.Porter](sb)
	b.noError("ask for ports", err)
	return p
}

// answers is the default of Options.Serve.
const answers = `
	if nc --help 2>&1 | grep -q BusyBox; then
		while :; do printf 'HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s' "${#2}" "$2" | nc -l -p "$1" >/dev/null || sleep 0.1; done
	fi
	exec perl -e '
		use IO::Socket::INET; my ($port, $text) = @ARGV;
		my $s = IO::Socket::INET->new(LocalPort => $port, Listen => 5, ReuseAddr => 1) or die $!;
		while (my $c = $s->accept) {
			while (my $l = <$c>) { last if $l =~ /^\r?$/ }
			print $c "HTTP/1.0 200 OK\r\nContent-Length: ", length $text, "\r\n\r\n", $text; close $c;
		}' "$1" "$2"`

// serve starts what answers on a port of the sandbox, and returns what that
// complains of.
func (b *bed) serve(port int, text string) *buffer {
	b.Helper()
	stderr := &buffer{}
	b.start(b.sb, sandbox.Command{ID: b.id("serve"), Argv: shell(b.suite.opts.Serve, fmt.Sprint(port), text), Stderr: stderr})
	return stderr
}

func portReached(b *bed) {
	port := b.suite.opts.Port
	before, err := b.porter(b.sb).Port(b.ctx, port) // nothing listens yet
	b.noError("find port", err)
	said := b.serve(port, "hello from inside")
	b.reached(before, "hello from inside", said)
	after, err := b.porter(b.resume(b.second())).Port(b.ctx, port)
	b.noError("find port in another plugin process", err)
	b.reached(after, "hello from inside", said)
}

// reached waits until a text comes from a port.
func (b *bed) reached(p sandbox.Port, want string, said *buffer) {
	b.Helper()
	u, err := url.Parse(p.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		b.Fatalf("%s is no URL of http or https", p)
	}
	if !p.Expires.IsZero() && time.Until(p.Expires) <= 0 {
		b.Errorf("it has expired at %s", p.Expires)
	}
	var got string
	if !b.within(b.suite.opts.Patience, func() bool {
		got, err = fetch(b.ctx, p)
		return err == nil && got == want
	}) {
		b.Fatalf("%s answers %q, %v, want %q; what was to listen said %q", p, got, err, want, said)
	}
}

// fetch gets what a port answers. A proxy isn't asked: the way is the host's own.
func fetch(ctx context.Context, p sandbox.Port) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return "", err
	}
	for name, value := range p.Headers {
		req.Header.Set(name, value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	r, err := client.Do(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	return string(text), errors.Join(err, r.Body.Close())
}

func portUndeclared(b *bed) {
	port := b.suite.opts.Port + 1
	found, err := b.porter(b.sb).Port(b.ctx, port)
	if err == nil { // none need be declared
		b.reached(found, "hello from another", b.serve(port, "hello from another"))
		return
	}
	b.mustBe("find a port that wasn't declared", err, sandbox.Invalid)
	if e, ok := errors.AsType[*sandbox.Error](err); !ok || e.Hint == "" {
		b.Errorf("it doesn't say how to declare one: %v", err)
	}
}

func portNone(b *bed) {
	for _, port := range []int{-1, 0, 65536, 1 << 30} {
		_, err := b.porter(b.sb).Port(b.ctx, port)
		b.mustBe(fmt.Sprintf("find port %d", port), err, sandbox.Invalid)
	}
}
