package main

import (
	"context"
	"io"
	"os"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == heartbeatVerb {
		heartbeat(os.Args[2:])
		return
	}
	err := serve(context.Background(), os.Stdin, os.Stdout, os.Stderr, options{
		home:        os.Getenv("DEMO_AGENT_HOME"),
		requireAuth: os.Getenv("DEMO_AGENT_REQUIRE_AUTH") != "",
	})
	if err != nil {
		_, _ = io.WriteString(os.Stderr, "sandlot-demo-agent: "+err.Error()+"\n")
		os.Exit(1)
	}
}

// options are what the environment says; see the package comment.
type options struct {
	home        string
	requireAuth bool
}

// serve answers requests from in until it ends, then stops what still runs.
// An `ignore-eof` instruction makes it stay for ever instead.
func serve(ctx context.Context, in io.Reader, out, stderr io.Writer, opts options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	conn := newConn(out)
	a := newAgent(conn, stderr, opts)
	err := conn.read(ctx, in, a.handle)
	a.waitAtEOF(ctx)
	stop()
	a.turns.Wait()
	return err
}
