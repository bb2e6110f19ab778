package cli

// paint adds colours where they are wanted.
type paint struct{ on bool }

func (p paint) code(c, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + c + "m" + s + "\x1b[0m"
}

func (p paint) red(s string) string    { return p.code("31", s) }
func (p paint) green(s string) string  { return p.code("32", s) }
func (p paint) yellow(s string) string { return p.code("33", s) }
func (p paint) cyan(s string) string   { return p.code("36", s) }
func (p paint) dim(s string) string    { return p.code("2", s) }
func (p paint) bold(s string) string   { return p.code("1", s) }
