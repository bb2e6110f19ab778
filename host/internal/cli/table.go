package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"
)

// table is rows under a header, in columns as wide as what is in them.
type table struct{ rows [][]cell }

// cell is one text and how it is painted; nil: not at all.
type cell struct {
	text  string
	paint func(string) string
}

// add adds a row of plain cells; an empty one is shown as a dash.
func (t *table) add(texts ...string) {
	row := make([]cell, len(texts))
	for i, s := range texts {
		row[i] = cell{text: s}
	}
	t.row(row...)
}

func (t *table) row(cells ...cell) {
	for i := range cells {
		cells[i].text = or(strings.Join(strings.Fields(printable(cells[i].text)), " "), "-")
	}
	t.rows = append(t.rows, cells)
}

// write writes the table. The last column isn't padded.
func (t *table) write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(c.text))
		}
	}
	var out strings.Builder
	for _, row := range t.rows {
		for i, c := range row {
			text := c.text
			if c.paint != nil {
				text = c.paint(text)
			}
			out.WriteString(text)
			if i < len(row)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]-columns(c.text)+2))
			}
		}
		out.WriteByte('\n')
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// columns is how many columns of a terminal a text takes: wide characters take
// two, marks on the one before them none.
func columns(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

func wide(r rune) bool {
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}

// ago is how long ago something was, in one unit: "45s", "3m", "2h", "12d".
// Nothing if it never was.
func ago(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	d := max(0, now.Sub(at))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
