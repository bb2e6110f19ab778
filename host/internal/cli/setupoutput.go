package cli

import "strings"

// shownLine is how much of a line that a setup command prints is shown, in
// characters.
const shownLine = 500

// setup shows what setup commands print: whole lines, whatever pieces they come
// in, set apart from lines of ours. Of a line that is drawn again and again, as
// progress bars are, the last state is shown.
func (r *text) setup(stream, piece string) {
	all := strings.Split(r.lines[stream]+strings.ReplaceAll(piece, "\r\n", "\n"), "\n")
	for _, line := range all[:len(all)-1] {
		r.setupLine(line)
	}
	rest := all[len(all)-1]
	if at := strings.LastIndexByte(strings.TrimRight(rest, "\r"), '\r'); at >= 0 {
		rest = rest[at+1:]
	}
	if len(rest) > 4*shownLine { // it is a line without an end
		r.setupLine(rest)
		rest = ""
	}
	r.lines[stream] = rest
}

func (r *text) setupLine(line string) {
	line = strings.TrimRight(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	line = strings.ReplaceAll(printable(withoutColor(line)), "\t", "    ")
	if all := []rune(line); len(all) > shownLine {
		line = string(all[:shownLine-1]) + "…"
	}
	r.note("  %s %s", r.paint.dim("│"), line)
}

// endSetup shows the lines that had no end yet, before anything else is shown.
func (r *text) endSetup() {
	for _, stream := range []string{"stdout", "stderr"} {
		if rest := r.lines[stream]; rest != "" {
			r.lines[stream] = ""
			r.setupLine(rest)
		}
	}
}

// withoutColor takes out the sequences by which programs colour what they print:
// without their control character they would be left as noise.
func withoutColor(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		end := strings.IndexFunc(after, func(c rune) bool { return c >= '@' && c <= '~' })
		if end < 0 {
			return b.String()
		}
		s = after[end+1:]
	}
}
