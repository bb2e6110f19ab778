package providertest

import "io"

// gate is a pipe whose both ends the end of the case closes, so that nothing
// waits at it for ever.
type gate struct {
	reader *io.PipeReader
	writer *io.PipeWriter
}

func newGate(b *bed) gate {
	r, w := io.Pipe()
	b.Cleanup(func() {
		_ = w.Close()
		_ = r.Close()
	})
	return gate{r, w}
}
