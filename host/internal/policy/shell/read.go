package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is one command that a text would run.
type Command struct {
	// Words are the program and its arguments, at least the program.
	Words []Word
	// Assigns are the `NAME=value` before it.
	Assigns []Word
	// Inner says that a command found before runs this one, as `env` does.
	Inner bool
	// Possible says that it may be no command at all, but an argument.
	Possible bool
}

// Reading is what a text would do.
type Reading struct {
	// Commands are in the order in which they stand in the text.
	Commands []Command
	// Writes are the files that redirections write to.
	Writes []Write
	// Dirs are the folders that it changes to, in the order in which they stand in
	// the text; a Hole is one that isn't known.
	Dirs []Word
	// Unknown names, for people, what can't be known before the shell runs.
	Unknown []string
}

// The bounds of what is read: what goes beyond is unknown.
const (
	maxText   = 64 << 10 // bytes of one text; the parser's stack grows with it
	maxOpen   = 4096     // brackets and keywords that can nest
	maxDepth  = 16       // texts within texts
	maxTotal  = 1 << 20  // bytes of all texts together
	maxListed = 10_000   // commands
	maxWords  = 4 << 20  // bytes of all their words together: those of one are in each that runs it
	maxBegins = 32       // places at which a command may begin in another one's arguments
)

// Read reads a text. It never fails: what it can't read is Unknown.
func Read(text string) Reading {
	var out Reading
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
		r := newReader(lang)
		r.text(text, 0)
		if lang != syntax.LangBash && r.refused {
			continue // only bash reads it
		}
		out.add(r.Reading)
	}
	for _, also := range []string{
		strings.ReplaceAll(text, "\\\n", ""),         // a shell joins lines before it looks for anything else
		strings.ReplaceAll(text, "\r", string(Slot)), // to a shell this is a letter, to the parser a blank
		comment.ReplaceAllString(text, "$1\n"),       // but not those of a comment
	} {
		if also == text {
			continue
		}
		r := newReader(syntax.LangBash)
		r.possible = true
		r.text(also, 0)
		if !r.refused || !strings.ContainsRune(text, '\r') {
			r.Unknown = nil
		}
		out.add(r.Reading)
	}
	return out
}

// comment is one with a backslash at its end.
var comment = regexp.MustCompile(`(#[^\n]*?)\\+\n`)

func newReader(lang syntax.LangVariant) *reader {
	return &reader{lang: lang, left: maxTotal, words: maxWords, feeds: map[*syntax.Stmt]*syntax.Stmt{}, named: map[string]bool{}}
}

// add takes over what isn't there yet.
func (r *Reading) add(more Reading) {
	r.Commands = union(r.Commands, more.Commands, Command.key)
	r.Writes = union(r.Writes, more.Writes, func(w Write) string { return fmt.Sprint(w.Adrift, w.File) })
	r.Dirs = union(r.Dirs, more.Dirs, func(w Word) string { return string(w) })
	r.Unknown = union(r.Unknown, more.Unknown, func(u string) string { return u })
}

// union is a, then what of b it doesn't hold.
func union[T any](a, b []T, key func(T) string) []T {
	have := map[string]bool{}
	return slices.DeleteFunc(slices.Concat(a, b), func(t T) bool {
		k := key(t)
		seen := have[k]
		have[k] = true
		return seen
	})
}

// key is the same for equal commands.
func (c Command) key() string {
	var out strings.Builder
	fmt.Fprint(&out, c.Inner, c.Possible, len(c.Words))
	for _, w := range slices.Concat(c.Assigns, c.Words) {
		fmt.Fprintf(&out, " %d ", len(w))
		out.WriteString(string(w))
	}
	return out.String()
}

// String is the command for people; unknown parts are dots.
func (c Command) String() string {
	all := make([]string, 0, len(c.Assigns)+len(c.Words))
	for _, w := range slices.Concat(c.Assigns, c.Words) {
		all = append(all, string(w))
	}
	return strings.NewReplacer(string(Hole), "…", string(Slot), "…").Replace(strings.Join(all, " "))
}

// reader reads a text and the texts in it in one dialect.
type reader struct {
	Reading
	lang     syntax.LangVariant
	left     int                           // bytes of texts
	words    int                           // bytes that may still be listed
	refused  bool                          // the outermost text isn't of this dialect
	possible bool                          // what is found may be no command at all
	adrift   bool                          // what is read may run in another folder
	detour   bool                          // a folder's name may stand for another one
	named    map[string]bool               // functions and aliases, which hide programs
	feeds    map[*syntax.Stmt]*syntax.Stmt // the one before a pipe, by the one behind it
}

func (r *reader) unknown(format string, args ...any) {
	r.Unknown = append(r.Unknown, fmt.Sprintf(format, args...))
}

// text reads one text; depth is the number of texts that it stands in.
func (r *reader) text(text string, depth int) {
	r.left -= len(text)
	switch {
	case depth > maxDepth:
		r.unknown("commands in commands, more than %d deep", maxDepth)
		return
	case len(text) > maxText || r.left < 0:
		r.unknown("a text of more than %d KiB", maxText>>10)
		return
	case opens(text) > maxOpen:
		r.unknown("more than %d brackets", maxOpen)
		return
	}
	r.detours(Word(text))
	if strings.ContainsRune(text, 0) {
		r.unknown("a zero byte, which shells drop or stop at")
	}
	r.safely(func() { r.parse(text, depth) })
	if r.detour && len(r.Dirs) > 0 {
		r.Dirs = append(r.Dirs, Word(Hole))
		r.detour = false
	}
}

// safely reads, and takes it for unknown if the parser panics, or what reads a tree
// that it made: nobody's text ends the program.
func (r *reader) safely(read func()) {
	defer func() {
		if bad := recover(); bad != nil {
			r.unknown("the shell's reader can't read it: %v", bad)
		}
	}()
	read()
}

// parse reads a text with the parser.
func (r *reader) parse(text string, depth int) {
	file, err := syntax.NewParser(syntax.Variant(r.lang)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.refused = r.refused || depth == 0
		r.unknown("the shell can't read it: %v", err)
		if file == nil {
			return
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			r.named[f.Name.Value] = true
		}
		return true
	})
	for _, stmt := range file.Stmts {
		r.node(stmt, depth)
	}
}

// opens counts what may make the parser go deeper.
func opens(text string) int {
	n := 0
	for _, word := range []string{"(", "{", "`", "if", "while", "until", "for", "case", "select", "time", "coproc", "function"} {
		n += strings.Count(text, word)
	}
	return n
}
