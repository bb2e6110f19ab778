package cli

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/forward"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func (a *app) portCmd() *cobra.Command {
	var local string
	c := &cobra.Command{
		Use:   "port SANDBOX PORT",
		Short: "Reach a port of a sandbox",
		Long: "Print the URL by which a port of a sandbox is reached from this machine, the headers that each request\n" +
			"needs, if any (they hold a secret), and when they end to be good. Whether anything listens there isn't\n" +
			"looked at. SANDBOX is its id, an unambiguous start of it, or the name of a sandbox block of which only\n" +
			"one instance exists.\n\n" +
			"With --local the port is served on this machine's loopback until Ctrl-C: any protocol over TCP where the\n" +
			"way is plain, else HTTP and websockets, with the headers added. Nobody else can reach it, and pages of\n" +
			"other sites are refused. Meanwhile the sandbox counts as used.",
		Example: "  sandlot port quickstart 3000\n" +
			"  sandlot port quickstart 3000 --local 3000\n" +
			"  sandlot port quickstart 5432 --local 0",
		Args: args(2, 2, "two arguments, the sandbox and the port"),
		RunE: func(c *cobra.Command, got []string) error {
			return a.port(c.Context(), got[0], got[1], local, c.Flags().Changed("local"))
		},
	}
	c.Flags().StringVar(&local, "local", "", "serve it on `PORT` of this machine's loopback; 0 is any that is free")
	return c
}

type portLine struct {
	Type    string            `json:"type"` // "port"
	Sandbox string            `json:"sandbox"`
	Port    int               `json:"port"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"` // not there with --local, which adds them
	Expires *time.Time        `json:"expires,omitempty"` // not there: with the sandbox
	Local   string            `json:"local,omitempty"`   // address on this machine's loopback
}

func (a *app) port(ctx context.Context, ref, text, local string, serve bool) error {
	port, err := strconv.Atoi(text)
	if err != nil || sandbox.CheckPort(port) != nil {
		return usagef("port %q: use a number, 1 to 65535", text)
	}
	address := ""
	if serve {
		if address, err = forward.Local(local); err != nil {
			return usagef("--local %w", err)
		}
	}
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	v, done, err := a.visit(ctx, ref, "sandlot port")
	if err != nil {
		return heard.or(err)
	}
	defer done()
	if !serve {
		found, err := v.Port(ctx, port)
		if err != nil {
			return heard.or(err)
		}
		return a.tellPort(v, port, found)
	}
	if err := a.servePort(ctx, v, port, address); err != nil {
		return heard.or(err)
	}
	return nil
}

func (a *app) tellPort(v *runs.Visit, port int, found sandbox.Port) error {
	if a.flags.json {
		return a.line(portLine{Type: "port", Sandbox: v.Sandbox().ID(), Port: port, URL: found.URL, Headers: found.Headers, Expires: known(found.Expires)})
	}
	var out strings.Builder
	fmt.Fprintln(&out, printable(found.URL))
	for _, name := range slices.Sorted(maps.Keys(found.Headers)) {
		fmt.Fprintf(&out, "header %s: %s\n", printable(name), printable(found.Headers[name]))
	}
	if !found.Expires.IsZero() {
		fmt.Fprintf(&out, "until %s\n", found.Expires.Format(time.RFC3339))
	}
	if _, err := a.world.Stdout.WriteString(out.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// servePort serves a port until ctx ends.
func (a *app) servePort(ctx context.Context, v *runs.Visit, port int, address string) error {
	way := sandbox.Port{}
	f, err := forward.New(ctx, forward.Options{
		Find: func(ctx context.Context) (found sandbox.Port, err error) {
			found, err = v.Port(ctx, port)
			way = found
			return found, err
		},
		Transport: http.DefaultTransport,
		Failed:    func(err error) { a.note("%v", err) },
	})
	if err != nil {
		return err
	}
	url := way.URL
	l, err := forward.Listen(ctx, address)
	if err != nil {
		return err
	}
	if a.flags.json {
		err = a.line(portLine{Type: "port", Sandbox: v.Sandbox().ID(), Port: port, URL: url, Local: l.Addr().String()})
	} else if _, err = fmt.Fprintln(a.world.Stdout, "http://"+l.Addr().String()); err == nil {
		a.dim("port %d of the sandbox, until Ctrl-C", port)
	}
	if err != nil {
		_ = l.Close()
		return err
	}
	return f.Serve(ctx, l)
}
