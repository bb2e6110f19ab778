package wire

// LineCap is the longest line of an agent that is taken whole.
const LineCap = 64 << 20

// Limits that both ends set, in bytes.
const (
	MaxMessage = LineCap + 1<<20 // gRPC's own default, 4 MiB, is too small
	MaxHeader  = 1 << 20         // statuses with details travel in headers
	IOBuffer   = 128 << 10       // of a connection's reads and writes each: fewer system calls for bulk
	Window     = 1 << 20         // of one stream: what a slow reader may have waiting
	ConnWindow = 16 << 20        // of all streams together
)
