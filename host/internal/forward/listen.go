package forward

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Local reads where somebody wants to be served: "8080", or "127.0.0.1:8080" and the
// like. Port 0 is any that is free. What isn't loopback is refused: everyone who can
// reach the address would be let in.
func Local(text string) (address string, err error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = "127.0.0.1", text
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", fmt.Errorf("%q is no port of this machine: use 1 to 65535, or 0 for any that is free", text)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("%q isn't loopback, and everyone who can reach it would be let in: use 127.0.0.1:%d", text, n)
	}
	return net.JoinHostPort(host, strconv.FormatUint(n, 10)), nil
}

// Listen listens at an address that Local has given.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("listen on %s: the port is in use by another program; take another one, or 0 for any that is free", address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("listen on %s: you may not; take a port of 1024 or above, or 0 for any that is free", address)
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}
