package forward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// serveHTTP passes requests on, with the headers that the way needs. Websockets are
// requests too.
func (f *Forward) serveHTTP(ctx context.Context, l net.Listener) error {
	quiet := log.New(io.Discard, "", 0) // what goes wrong is told by Failed
	server := &http.Server{
		Handler: f.proxy(quiet), ErrorLog: quiet, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	err := server.Serve(l)
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

type wayKey struct{}

// proxy refuses first what another site's page in a browser may have sent: it would be
// let in with headers that aren't its own.
func (f *Forward) proxy(quiet *log.Logger) http.Handler {
	through := &httputil.ReverseProxy{
		Transport: f.Transport, FlushInterval: -1, ErrorLog: quiet,
		Rewrite: rewrite,
		ModifyResponse: func(r *http.Response) error {
			f.went(nil)
			return homeward(r)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				f.went(err)
			}
			http.Error(w, "sandlot: the sandbox's port can't be reached: "+err.Error(), http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !fromHere(r) {
			http.Error(w, "sandlot: this port is for this machine alone; open it by its address on 127.0.0.1 or as localhost", http.StatusForbidden)
			return
		}
		way, target, err := f.current(r.Context())
		if err != nil {
			f.went(err)
			http.Error(w, "sandlot: the way to the sandbox's port isn't known: "+err.Error(), http.StatusBadGateway)
			return
		}
		through.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), wayKey{}, found{way.Headers, target})))
	})
}

// found is the way of one request.
type found struct {
	headers map[string]string
	target  *url.URL
}

// rewrite sends a request on.
func rewrite(r *httputil.ProxyRequest) {
	way, ok := r.In.Context().Value(wayKey{}).(found)
	if !ok { // the handler has put it there
		return
	}
	r.SetURL(way.target)
	r.Out.Host = way.target.Host
	if r.Out.Header.Get("Origin") != "" { // a page of the sandbox, by its name there
		r.Out.Header.Set("Origin", way.target.Scheme+"://"+way.target.Host)
	}
	for name, value := range way.headers {
		r.Out.Header.Set(name, value)
	}
}

// homeward keeps a redirect to where the sandbox is known by another name here.
func homeward(r *http.Response) error {
	way, ok := r.Request.Context().Value(wayKey{}).(found)
	to, err := r.Location()
	if ok && err == nil && to.Host == way.target.Host {
		to.Scheme, to.Host, to.User = "", "", nil
		r.Header.Set("Location", to.String())
	}
	return nil
}

// fromHere reports whether a request was made to this machine by name, and by nobody's
// page but the sandbox's own.
func fromHere(r *http.Request) bool {
	if !loopback(r.Host) {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// loopback reports whether a host, with or without a port, is this machine by name.
func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
