package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/client"

	"github.com/sandlot-dev/sandlot/sdk/providertest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// gate stands between a plugin and the engine, counts the plugin's requests, and
// calls at when the engine has answered the one of that number.
type gate struct {
	socket string
	seen   atomic.Int64
	number int64
	at     func()
}

type gateKey struct{}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{socket: filepath.Join(t.TempDir(), "engine")}
	l, err := net.Listen("unix", g.socket)
	if err != nil {
		t.Fatal(err)
	}
	engine := strings.TrimPrefix(testEngine(t).DaemonHost(), "unix://")
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "engine" },
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", engine)
		}},
		FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Context().Value(gateKey{}) != nil {
				g.at() // a stream that goes on has begun
			}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {}, // the plugin that asked is dead
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mine := !strings.HasSuffix(r.URL.Path, "/_ping") && g.seen.Add(1) == g.number
		ctx := context.WithoutCancel(r.Context()) // the engine finishes what it has begun
		if mine {
			ctx = context.WithValue(ctx, gateKey{}, true)
		}
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return g
}

// TestAPluginKilledAtAnyRequestLeavesOnlyWhatIsListed kills the plugin when the
// engine has done each of the requests that it makes for a container and a snapshot
// of it. The next plugin process must see all that there is, so that a collection by
// the lists leaves nothing.
func TestAPluginKilledAtAnyRequestLeavesOnlyWhatIsListed(t *testing.T) {
	t.Parallel()
	const owner = "0190c0de-0000-7000-8000-00000000dead"
	t.Cleanup(func() { mustLeaveNothing(t, owner) })
	binary := buildPlugin(t)
	number := int64(1)
	for killedAt(t, binary, owner, number) {
		number++
	}
	if number < 10 {
		t.Errorf("only %d requests: that's too few to be true", number-1)
	}
}

// killedAt has the plugin make a container and a snapshot, and kills it at that
// request; it reports whether there was one of that number.
func killedAt(t *testing.T, binary, owner string, number int64) bool {
	t.Helper()
	g := newGate(t)
	g.number = number
	config, err := json.Marshal(map[string]any{"image": imageBusybox, "pull": pullNever})
	if err != nil {
		t.Fatal(err)
	}
	open := func(host string) *providertest.Plugin {
		p, err := providertest.Binary(providertest.Launch{
			Path: binary, Config: config, Owner: owner,
			Env: append(os.Environ(), "SANDLOT_HOME="+t.TempDir(), "HOME="+t.TempDir(), "DOCKER_HOST="+host),
		})(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	victim := open("unix://" + g.socket)
	killed := make(chan struct{})
	g.at = func() {
		_ = victim.Kill()
		close(killed)
	}
	labels := sandbox.Labels{Owner: owner, Key: strings.Repeat("de", 32)}
	err = makeAndSnapshot(t.Context(), victim.Provider, sandbox.CreateRequest{Key: labels.Key, Labels: labels})
	was := g.seen.Load() >= number
	if was {
		<-killed
	} else if err != nil {
		t.Errorf("%d requests, and %v", g.seen.Load(), err)
	}
	_ = victim.Close()
	next := open(client.DefaultDockerHost)
	collect(t, next.Provider)
	if err := next.Close(); err != nil {
		t.Errorf("killed at request %d: %v", number, err)
	}
	for _, what := range leftovers(t.Context(), t, testEngine(t), owner) {
		t.Errorf("killed at request %d: left on the engine, and in no list: %s", number, what)
	}
	return was
}

func makeAndSnapshot(ctx context.Context, p sandbox.Provider, req sandbox.CreateRequest) error {
	sb, err := p.Create(ctx, req)
	if err != nil {
		return err
	}
	source, err := sandbox.As[sandbox.Snapshotable](sb)
	if err != nil {
		return err
	}
	_, err = source.Snapshot(ctx, sandbox.SnapshotRequest{Labels: req.Labels})
	return err
}

// collect removes all that the lists tell of.
func collect(t *testing.T, p sandbox.Provider) {
	t.Helper()
	keeper, err := sandbox.AsProvider[sandbox.Snapshotter](p)
	if err != nil {
		t.Fatal(err)
	}
	snapshots, err := keeper.Snapshots(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range snapshots {
		if err := keeper.DeleteSnapshot(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
	}
	list, err := p.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if err := p.Destroy(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
	}
}
