package config

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Render writes diagnostics for people: what, where (file:line:column), the
// source line, why and what to do. Files is [Project.Files]. Width is the number
// of columns to wrap at, 0 for no wrapping; color adds terminal colours. Control
// characters of the sources don't reach the terminal.
func Render(w io.Writer, diags hcl.Diagnostics, files map[string]*hcl.File, width uint, color bool) error {
	clean := make(map[string]*hcl.File, len(files))
	for name, f := range files {
		shown := *f
		shown.Bytes = bytes.Map(printableOrTab, f.Bytes)
		if len(shown.Bytes) != len(f.Bytes) { // bytes.Map widens invalid UTF-8, which would move columns
			shown.Bytes = f.Bytes
		}
		clean[name] = &shown
	}
	out := hcl.NewDiagnosticTextWriter(w, clean, width, color)
	for _, d := range diags {
		shown := *d
		shown.Summary = strings.Map(printable, d.Summary)
		shown.Detail = strings.Map(printableOrTab, d.Detail)
		if d.Subject != nil {
			shown.Summary += fmt.Sprintf(" (%s:%d:%d)", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
		}
		if err := out.WriteDiagnostic(&shown); err != nil {
			return fmt.Errorf("write diagnostics: %w", err)
		}
	}
	return nil
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

func printableOrTab(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return r
	}
	return printable(r)
}
