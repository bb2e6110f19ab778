package gitignore

import "strings"

// wild reports whether a glob fits all of text. With slashes, `*`, `?` and
// classes stop at a slash, and `**` between slashes goes past them; without, no
// slash is special. It takes time in len(glob) * len(text), whatever they hold.
func wild(glob, text string, slashes bool) bool {
	m := matcher{glob: glob, text: text, slashes: slashes}
	if strings.Count(glob, "*") > 1 {
		m.failed = make([]bool, (len(glob)+1)*(len(text)+1))
	}
	return m.from(0, 0)
}

type matcher struct {
	glob, text string
	slashes    bool
	failed     []bool // by position in glob and text: the rest is known not to fit
}

// from reports whether glob from g on fits text from t on. Position g is the
// beginning, or follows a star.
func (m *matcher) from(g, t int) bool {
	at := g*(len(m.text)+1) + t
	if len(m.failed) == 0 {
		return m.run(g, g, t)
	}
	if m.failed[at] {
		return false
	}
	fits := m.run(g, g, t)
	m.failed[at] = !fits
	return fits
}

// run is from, where begin is the first position of this part of the glob.
func (m *matcher) run(begin, g, t int) bool {
	for g < len(m.glob) {
		c := m.glob[g]
		if c == '*' {
			return m.star(begin, g, t)
		}
		if t == len(m.text) {
			return false
		}
		switch c {
		case '?':
			if m.slashes && m.text[t] == '/' {
				return false
			}
		case '[':
			end, fits := m.class(g, m.text[t])
			if !fits {
				return false
			}
			g = end
		case '\\':
			if g++; g == len(m.glob) || m.glob[g] != m.text[t] {
				return false
			}
		default:
			if c != m.text[t] {
				return false
			}
		}
		g++
		t++
	}
	return t == len(m.text)
}

// star goes on at a star, or several.
func (m *matcher) star(begin, g, t int) bool {
	first := g
	for g < len(m.glob) && m.glob[g] == '*' {
		g++
	}
	rest := m.glob[g:]
	across := !m.slashes
	if m.slashes && g-first > 1 && (first == begin || m.glob[first-1] == '/') {
		switch {
		case strings.HasPrefix(rest, "/"):
			if m.from(g+1, t) { // no folder at all
				return true
			}
			across = true
		case rest == "", strings.HasPrefix(rest, `\/`):
			across = true
		}
	}
	if rest == "" {
		return across || !strings.Contains(m.text[t:], "/")
	}
	for ; t < len(m.text); t++ {
		if m.from(g, t) {
			return true
		}
		if !across && m.text[t] == '/' {
			return false
		}
	}
	return false
}
