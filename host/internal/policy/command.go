package policy

import (
	"strings"
	"unicode"
)

// normalise joins continued lines, makes each run of blanks one space and drops
// blanks at the ends. Line ends within stay: they separate commands.
func normalise(command string) string {
	command = strings.ReplaceAll(command, "\r\n", "\n")
	command = strings.ReplaceAll(command, "\\\n", " ")
	var out strings.Builder
	blank := false
	for _, r := range strings.TrimSpace(command) {
		if r != '\n' && r != '\r' && unicode.IsSpace(r) {
			blank = true
			continue
		}
		if blank {
			out.WriteByte(' ')
			blank = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

// separators end a command or begin another one inside it; redirections write
// files behind a harmless name.
const separators = ";&|\n\r`<>"

// compound reports whether a shell might run more than one plain command.
func compound(command string) bool {
	return strings.ContainsAny(command, separators) || strings.Contains(command, "$(")
}

// split cuts a command at everything that may begin another one.
func split(command string) []string {
	pieces := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";&|\n\r`(){}", r) })
	var out []string
	for _, piece := range pieces {
		piece = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(piece), "$"))
		piece = strings.TrimSpace(strings.TrimPrefix(piece, "! "))
		if piece != "" && piece != command {
			out = append(out, piece)
		}
	}
	return out
}
