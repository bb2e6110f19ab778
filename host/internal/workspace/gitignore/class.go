package gitignore

import "strings"

// class reports whether the class that begins at glob[g] takes the byte c, and
// where it ends. One that isn't closed takes nothing.
func (m *matcher) class(g int, c byte) (end int, fits bool) {
	i := g + 1
	negated := i < len(m.glob) && (m.glob[i] == '!' || m.glob[i] == '^')
	if negated {
		i++
	}
	var last byte // the lower end of a range; 0: none
	for first := true; ; first = false {
		if i >= len(m.glob) {
			return 0, false
		}
		b := m.glob[i]
		switch {
		case b == ']' && !first:
			if m.slashes && c == '/' {
				return i, false
			}
			return i, fits != negated
		case b == '-' && last != 0 && i+1 < len(m.glob) && m.glob[i+1] != ']':
			i++
			if m.glob[i] == '\\' {
				if i++; i == len(m.glob) {
					return 0, false
				}
			}
			fits = fits || last <= c && c <= m.glob[i]
			last = 0
		case b == '[' && strings.HasPrefix(m.glob[i+1:], ":"):
			name, ok := named(m.glob[i+2:])
			if !ok {
				return 0, false
			}
			if name == "" { // a bracket like any other
				fits, last = fits || c == '[', '['
				break
			}
			in, known := kinds(name, c)
			if !known {
				return 0, false
			}
			fits, last = fits || in, 0
			i += len("[:") + len(name)
			i++ // the closing bracket, past the colon
		default:
			if b == '\\' {
				if i++; i == len(m.glob) {
					return 0, false
				}
				b = m.glob[i]
			}
			fits, last = fits || b == c, b
		}
		i++
	}
}

// named is the name before the next `:]`. It is empty where the next bracket
// isn't preceded by a colon; not ok without a bracket at all.
func named(s string) (name string, ok bool) {
	end := strings.IndexByte(s, ']')
	switch {
	case end < 0:
		return "", false
	case end == 0 || s[end-1] != ':':
		return "", true
	}
	return s[:end-1], true
}

func kinds(name string, c byte) (in, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := '!' <= c && c <= '~'
	switch name {
	case "alpha":
		return lower || upper, true
	case "alnum":
		return lower || upper || digit, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 127, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
