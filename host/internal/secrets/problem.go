package secrets

import "fmt"

// Problem is why one secret can't be used, and what to do about it. It never
// holds the value.
type Problem struct {
	Secret string
	Reason string
	Fix    string
}

// Error gives secret, reason and fix.
func (p *Problem) Error() string {
	return fmt.Sprintf("resolve secret %s: %s; %s", p.Secret, p.Reason, p.Fix)
}

// wrong is a problem whose secret is named later.
func wrong(fix, format string, args ...any) *Problem {
	return &Problem{Reason: fmt.Sprintf(format, args...), Fix: fix}
}
