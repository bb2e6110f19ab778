package forward_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/forward"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// served is the loopback address of a forward, and what ends it.
func served(t *testing.T, o forward.Options) (address string, end func() error) {
	t.Helper()
	f, err := forward.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := forward.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- f.Serve(ctx, l) }()
	end = func() error { cancel(); return <-done }
	t.Cleanup(cancel)
	return l.Addr().String(), end
}

func always(p sandbox.Port) func(context.Context) (sandbox.Port, error) {
	return func(context.Context) (sandbox.Port, error) { return p, nil }
}

// dial opens a connection that doesn't wait for ever.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBytesPassAsTheyAreWhereTheWayIsPlain(t *testing.T) {
	far, err := forward.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	go func() { // says what it heard once the other side has said all
		for {
			c, err := far.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				heard, err := io.ReadAll(c)
				_, _ = fmt.Fprintf(c, "%q %v", heard, err)
			}()
		}
	}()
	address, end := served(t, forward.Options{Find: always(sandbox.Port{URL: "http://" + far.Addr().String()})})
	c := dial(t, address)
	if _, err := io.WriteString(c, "\x00no HTTP"); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); string(got) != `"\x00no HTTP" <nil>` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	open := dial(t, address)
	if _, err := io.WriteString(open, "x"); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(open); len(got) > 0 && !strings.HasPrefix(string(got), `"x"`) {
		t.Errorf("a connection outlives its forward: %s, %v", got, err)
	}
	if _, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address); err == nil {
		t.Error("it still listens")
	}
}

func TestWhatDoesNotAnswerIsToldOfOnce(t *testing.T) {
	gone, err := forward.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + gone.Addr().String()
	_ = gone.Close()
	for _, way := range []sandbox.Port{{URL: url}, {URL: url, Headers: map[string]string{"Token": "t"}}} {
		failed := make(chan error, 10)
		address, end := served(t, forward.Options{Find: always(way), Transport: http.DefaultTransport, Failed: func(err error) { failed <- err }})
		for range 3 {
			c := dial(t, address)
			_, _ = io.WriteString(c, "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
			got, _ := io.ReadAll(c)
			if len(way.Headers) > 0 && !strings.Contains(string(got), "502 Bad Gateway") {
				t.Errorf("got %s", got)
			}
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if len(failed) != 1 {
			t.Errorf("told %d times", len(failed))
		}
	}
}

// gated is a service that wants a token, and knows itself by its own name only.
func gated(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Token") != "good" {
		http.Error(w, "no token", http.StatusUnauthorized)
		return
	}
	switch {
	case r.URL.Path == "/away":
		http.Redirect(w, r, "http://"+r.Host+"/here?x=1", http.StatusFound)
	case r.Header.Get("Upgrade") == "websocket":
		c, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		line, _ := both.ReadString('\n')
		_, _ = io.WriteString(c, r.Header.Get("Origin")+" heard "+line)
	default:
		fmt.Fprintf(w, "%s %s %s origin=%s", r.Method, r.Host, r.URL, r.Header.Get("Origin"))
	}
}

func TestAGatedWayIsServedToThisMachineAlone(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(gated))
	defer far.Close()
	host := strings.TrimPrefix(far.URL, "http://")
	address, end := served(t, forward.Options{
		Find: always(sandbox.Port{URL: far.URL, Headers: map[string]string{"Token": "good"}}), Transport: http.DefaultTransport,
	})
	for _, c := range []struct {
		name, path string
		header     map[string]string // Host among them
		code       int
		want       string // in the body, or Location
	}{
		{"a request", "/a?b=c", nil, 200, "GET " + host + " /a?b=c origin="},
		{"a token of the client's own", "/", map[string]string{"Token": "bad"}, 200, "GET "},
		{"a page of the sandbox", "/", map[string]string{"Origin": "http://" + address}, 200, "origin=" + far.URL},
		{"a redirect to itself", "/away", nil, 302, "/here?x=1"},
		{"a page of another site", "/", map[string]string{"Origin": "http://evil.example"}, 403, "for this machine alone"},
		{"a page of another program here", "/", map[string]string{"Origin": "http://127.0.0.1:1"}, 403, "for this machine alone"},
		{"another site's name for this machine", "/", map[string]string{"Host": "evil.example"}, 403, "for this machine alone"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.header {
			r.Header.Set(name, value)
			if name == "Host" {
				r.Host = value
			}
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got := string(body) + resp.Header.Get("Location"); resp.StatusCode != c.code || !strings.Contains(got, c.want) || strings.Contains(resp.Header.Get("Location"), host) {
			t.Errorf("%s: %d, %s", c.name, resp.StatusCode, got)
		}
	}
	c := dial(t, address)
	_, _ = fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", address, address)
	in := bufio.NewReader(c)
	resp, err := http.ReadResponse(in, nil) //nolint:bodyclose // of a 101 there is none
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("a websocket: %v, %v", resp, err)
	}
	_, _ = io.WriteString(c, "hello\n")
	if got, _ := io.ReadAll(in); string(got) != far.URL+" heard hello\n" {
		t.Errorf("a websocket: %q", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestAWayThatExpiresIsAskedForAgain(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(gated))
	defer far.Close()
	var asked atomic.Int32
	address, end := served(t, forward.Options{
		Transport: http.DefaultTransport,
		Find: func(context.Context) (sandbox.Port, error) {
			switch asked.Add(1) {
			case 1:
				return sandbox.Port{URL: far.URL, Headers: map[string]string{"Token": "old"}, Expires: time.Now().Add(time.Second)}, nil
			case 2:
				return sandbox.Port{}, errors.New("the backend is down")
			}
			return sandbox.Port{URL: far.URL, Headers: map[string]string{"Token": "good"}, Expires: time.Now().Add(time.Hour)}, nil
		},
	})
	for i, want := range []int{502, 200, 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("request %d: %d", i, resp.StatusCode)
		}
	}
	if err := end(); err != nil || asked.Load() != 3 {
		t.Errorf("asked %d times; %v", asked.Load(), err)
	}
}

func TestOnlyLoopbackIsServed(t *testing.T) {
	for text, want := range map[string]string{
		"8080": "127.0.0.1:8080", "0": "127.0.0.1:0", "localhost:80": "127.0.0.1:80", "127.0.0.2:1": "127.0.0.2:1", "[::1]:1": "[::1]:1",
		"": "", "x": "", "-1": "", "65536": "", "0.0.0.0:1": "", ":1": "", "[::]:1": "", "example.com:1": "", "192.168.0.1:1": "", "8080x": "",
	} {
		if got, err := forward.Local(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	l, err := forward.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := forward.Listen(t.Context(), l.Addr().String()); err == nil || !strings.Contains(err.Error(), "in use by another program") {
		t.Errorf("a port in use: %v", err)
	}
	if _, err := forward.New(t.Context(), forward.Options{Find: always(sandbox.Port{URL: "ftp://x"})}); !errors.Is(err, sandbox.Internal) {
		t.Errorf("a URL of another kind: %v", err)
	}
}
