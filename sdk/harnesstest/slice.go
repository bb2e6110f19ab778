package harnesstest

import (
	"bytes"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// maxBatch is how much a host puts into one Lines, unless one line is longer.
const maxBatch = 256 << 10

// frame turns reads of the agent's output into batches of whole lines, as a
// host does: read gives the size of each read.
func frame(output []byte, read func() int) []*harness.Lines {
	var batches []*harness.Lines
	var start, seen int // of what isn't in a batch yet; of what was read
	for seen < len(output) {
		piece := output[seen:min(len(output), seen+max(1, read()))] // no line ends between start and here
		end := 0
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			end = seen - start + i + 1
		}
		if seen += len(piece); seen == len(output) {
			end = seen - start
		}
		for end > 0 {
			n := batchLen(output[start : start+end])
			batches = append(batches, &harness.Lines{Data: bytes.Clone(output[start : start+n]), End: int64(start + n)})
			start, end = start+n, end-n
		}
	}
	return batches
}

// batchLen is how much of data goes into one batch: whole lines up to maxBatch,
// or one longer line alone.
func batchLen(data []byte) int {
	if len(data) <= maxBatch {
		return len(data)
	}
	if n := bytes.LastIndexByte(data[:maxBatch], '\n') + 1; n > 0 {
		return n
	}
	if n := bytes.IndexByte(data, '\n') + 1; n > 0 {
		return n
	}
	return len(data)
}
