package wire

import "sync"

// Buffers are pieces of memory that are used again, each as it was left: those
// of gRPC are cleared first, and its sizes don't fit ours.
type Buffers struct {
	pools [len(bufferSizes)]sync.Pool
}

// bufferSizes fit an HTTP/2 frame, its reads, and the largest bulk, each with
// its head.
var bufferSizes = [...]int{4 << 10, 16 << 10, 33 << 10, 66 << 10, 257 << 10}

// Get implements mem.BufferPool.
func (b *Buffers) Get(length int) *[]byte {
	for i, size := range bufferSizes {
		if length > size {
			continue
		}
		if buf, ok := b.pools[i].Get().(*[]byte); ok {
			*buf = (*buf)[:length]
			return buf
		}
		buf := make([]byte, length, size)
		return &buf
	}
	buf := make([]byte, length)
	return &buf
}

// Put implements mem.BufferPool.
func (b *Buffers) Put(buf *[]byte) {
	for i, size := range bufferSizes {
		if cap(*buf) == size {
			b.pools[i].Put(buf)
			return
		}
	}
}
