package remote

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
)

// Timeouts bound calls; 0 takes the default.
type Timeouts struct {
	Unary     time.Duration // one unary call; default 30 s
	Create    time.Duration // Create, Restore and Resume, without progress of phase "pull"; default 120 s
	Snapshot  time.Duration // Snapshot and Fork, which copy all that there is; default 10 min
	Destroy   time.Duration // of a sandbox or a snapshot, and for a call to take back what it made; default 60 s
	KillGrace time.Duration // TERM to KILL where a context ended; default 500 ms
	Kill      time.Duration // a Kill beside its grace; default 10 s
	Start     time.Duration // until a command has begun; default 30 s
	Stall     time.Duration // files that make no headway; default 2 min. The answer to an upload may take five times that
	Silence   time.Duration // of a command, until the plugin is asked whether it lives; default 30 s
	Pulse     time.Duration // between two questions whether the plugin answers at all; default 10 s
}

// WithDefaults fills in what isn't set.
func (t Timeouts) WithDefaults() Timeouts {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&t.Unary, 30*time.Second)
	set(&t.Create, 120*time.Second)
	set(&t.Snapshot, 10*time.Minute)
	set(&t.Destroy, 60*time.Second)
	set(&t.KillGrace, 500*time.Millisecond)
	set(&t.Kill, 10*time.Second)
	set(&t.Start, 30*time.Second)
	set(&t.Stall, 2*time.Minute)
	set(&t.Silence, 30*time.Second)
	set(&t.Pulse, 10*time.Second)
	return t
}

// DialOptions are the client's options for the limits of the wire.
func DialOptions() []grpc.DialOption {
	buffers := &wire.Buffers{}
	return []grpc.DialOption{
		experimental.WithBufferPool(buffers),
		grpc.WithWriteBufferSize(wire.IOBuffer),
		grpc.WithReadBufferSize(wire.IOBuffer),
		grpc.WithDefaultCallOptions(
			grpc.ForceCodecV2(wire.NewCodec(buffers)),
			grpc.MaxCallRecvMsgSize(wire.MaxMessage),
			grpc.MaxCallSendMsgSize(wire.MaxMessage),
		),
		grpc.WithMaxHeaderListSize(wire.MaxHeader),
		grpc.WithInitialWindowSize(wire.Window),
		grpc.WithInitialConnWindowSize(wire.ConnWindow),
	}
}
