package wire

import (
	"math"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Command converts all but the streams; of Stdin it says whether there is one.
func Command(c sandbox.Command) *pb.Command {
	out := &pb.Command{
		Id:        Text(c.ID),
		Argv:      each(c.Argv, toBytes),
		Script:    toBytes(c.Script),
		Dir:       toBytes(c.Dir),
		Env:       toEnv(c.Env),
		User:      Text(c.User),
		Stdin:     c.Stdin != nil,
		TimeoutMs: Millis(c.Timeout),
		MaxOutput: c.MaxOutput,
		Detached:  c.Detached,
	}
	if c.TTY != nil {
		out.Tty = Size(*c.TTY)
	}
	return out
}

// FromCommand converts all but the streams.
func FromCommand(c *pb.Command) sandbox.Command {
	out := sandbox.Command{
		ID:        c.GetId(),
		Argv:      each(c.GetArgv(), fromBytes),
		Script:    fromBytes(c.GetScript()),
		Dir:       fromBytes(c.GetDir()),
		Env:       fromEnv(c.GetEnv()),
		User:      c.GetUser(),
		Timeout:   Duration(c.GetTimeoutMs()),
		MaxOutput: c.GetMaxOutput(),
		Detached:  c.GetDetached(),
	}
	if t := c.GetTty(); t != nil {
		size := FromSize(t)
		out.TTY = &size
	}
	return out
}

// Size converts to the wire.
func Size(s sandbox.Size) *pb.TerminalSize {
	return &pb.TerminalSize{Rows: uint32(s.Rows), Cols: uint32(s.Cols)}
}

// FromSize converts from the wire.
func FromSize(s *pb.TerminalSize) sandbox.Size {
	return sandbox.Size{
		Rows: uint16(min(s.GetRows(), math.MaxUint16)),
		Cols: uint16(min(s.GetCols(), math.MaxUint16)),
	}
}

// Exit converts to the wire.
func Exit(e sandbox.Exit) *pb.Exit {
	return &pb.Exit{
		Code: Int32(e.Code), Signal: Int32(e.Signal), Oom: e.OOM,
		Reason: Text(string(e.Reason)), Message: Text(e.Message), Left: []byte(e.Left),
	}
}

// FromExit converts from the wire. An exit that doesn't say how it came about
// is unknown: nobody may take it for a success.
func FromExit(e *pb.Exit) sandbox.Exit {
	out := sandbox.Exit{
		Code: int(e.GetCode()), Signal: int(e.GetSignal()), OOM: e.GetOom(),
		Reason: sandbox.ExitReason(e.GetReason()), Message: e.GetMessage(), Left: string(e.GetLeft()),
	}
	if out.Reason == "" {
		out.Code, out.Reason = -1, sandbox.ReasonUnknown
	}
	return out
}

// FromLiveness converts from the wire; what it doesn't know is unknown.
func FromLiveness(s string) sandbox.Liveness {
	switch l := sandbox.Liveness(s); l {
	case sandbox.AliveYes, sandbox.AliveNo:
		return l
	}
	return sandbox.AliveUnknown
}
