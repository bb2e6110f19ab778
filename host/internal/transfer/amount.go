package transfer

import "sync/atomic"

// Amount is how much was copied. It may be read while it grows.
type Amount struct {
	Files atomic.Int64 // whole ones; links count
	Bytes atomic.Int64 // of their content
}

func (a *Amount) reset() {
	a.Files.Store(0)
	a.Bytes.Store(0)
}

// Job is what a copy tells while it goes.
type Job struct {
	Amount Amount

	// Mark is this process in the name of what isn't whole, and Gone reports whether
	// the process of such a name is known to be gone, so that what it left may go.
	// Letters, digits and dots; empty and nil: nobody's is looked for.
	Mark string
	Gone func(mark string) bool

	Note func(name, what string) // of what is left out, or worth a look; name as it came, any bytes
}

func (j *Job) note(name, what string) {
	if j.Note != nil {
		j.Note(name, what)
	}
}

// counted counts the bytes of one file.
type counted struct {
	to *Amount
}

// Write implements io.Writer.
func (c counted) Write(p []byte) (int, error) {
	c.to.Bytes.Add(int64(len(p)))
	return len(p), nil
}
