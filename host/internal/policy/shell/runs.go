package shell

import (
	"cmp"
	"slices"
	"strings"
)

// arguments are those of a runner while they are read.
type arguments struct {
	*reader
	name    string
	spec    runner
	left    []Word // not read yet
	inner   Command
	replace string // what xargs puts its input in place of
	nothing bool   // it runs nothing
	depth   int
}

// runs handles the command in the arguments of a runner.
func (r *reader) runs(name string, spec runner, c Command, words []Word, in *input, depth int) {
	if spec.moves || spec.any || name == "env" && changesDir(words) {
		defer func(before bool) { r.adrift = before }(r.adrift)
		r.adrift = true
	}
	if spec.any {
		if r.anywhere(name, words, in, depth); len(spec.script) == 0 {
			return
		}
	}
	a := arguments{reader: r, name: name, spec: spec, left: words, depth: depth, inner: Command{Inner: true, Possible: c.Possible}}
	a.options(in)
	switch {
	case a.nothing:
	case spec.text:
		r.script("the text of "+name, joined(a.left), depth)
	case name == "xargs":
		a.xargs()
	default:
		a.inner.Words = a.left
		r.command(a.inner, in, depth+1)
	}
}

// next takes the next word; it is empty behind the last one.
func (a *arguments) next() Word {
	if len(a.left) == 0 {
		return ""
	}
	w := a.left[0]
	a.left = a.left[1:]
	return w
}

// value takes the value of an option, which a word that isn't known may have more in
// it than.
func (a *arguments) value() string {
	w := a.next()
	if strings.ContainsRune(string(w), Hole) {
		a.unknown("the arguments of %s", a.name)
	}
	return string(w)
}

// options reads what stands before the command.
func (a *arguments) options(in *input) {
	ended := false // no option follows
	for len(a.left) > 0 && !a.nothing {
		w := a.left[0]
		text := string(w)
		switch {
		case text == "--" && !ended:
			a.next()
			ended = !a.spec.late
		case text == "-" && a.name == "env":
			a.next()
		case !w.Known() && (text[0] == '-' || strings.ContainsRune(text, Hole)):
			a.unknown("the arguments of %s", a.name) // an option, or the program
			a.next()
		case a.spec.assigns && strings.Contains(text, "=") && (ended || text[0] != '-'):
			a.inner.Assigns = append(a.inner.Assigns, a.next())
		case !ended && strings.HasPrefix(text, "--"):
			a.next()
			a.long(text, in)
		case !ended && len(text) > 1 && text[0] == '-':
			a.next()
			a.short(text[1:])
		case a.spec.operands > 0:
			a.next()
			a.spec.operands--
		default:
			return
		}
	}
}

func (a *arguments) long(text string, in *input) {
	option, value, has := strings.Cut(text, "=")
	// An option may be cut as long as it is clear which one is meant.
	begins := func(long string) bool { return strings.HasPrefix(long, option) }
	isScript := slices.ContainsFunc(a.spec.script, begins)
	takes := isScript || slices.ContainsFunc(a.spec.long, begins)
	if takes && !has {
		value = a.value()
	}
	switch {
	case isScript:
		a.script("the text of "+a.name+" "+option, a.split(value), a.depth)
	case option == "--replace":
		a.replace = value
		if !has {
			a.replace = "{}"
		}
	case !takes && !has && len(a.left) > 1 && !slices.Contains(flags, option):
		// perhaps with a value, of which this package doesn't know
		for _, before := range []int{1, 1 + a.spec.operands} {
			a.command(Command{Words: a.left[min(before, len(a.left)):], Inner: true, Possible: true}, in, a.depth+1)
		}
	}
}

// split is the text of an option. env has escapes of its own for blanks, and takes
// what it gets for its arguments, before those that follow.
func (a *arguments) split(text string) *input {
	if a.name == "env" {
		text = strings.NewReplacer(`\_`, " ", `\t`, " ", `\n`, " ", `\f`, " ", `\v`, " ", `\r`, " ", `\c`, " ", "\f", " ", "\v", " ", "\r", " ").Replace(text)
		text = "env " + text
		for _, w := range a.left {
			if w.Known() {
				w = "'" + Word(strings.ReplaceAll(string(w), "'", `'\''`)) + "'"
			}
			text += " " + string(w)
		}
	}
	return script(Word(text))
}

// short reads a word of short options. Behind one with a value the rest of the
// word, if any, is that value.
func (a *arguments) short(options string) {
	for i := range len(options) {
		option := options[i : i+1]
		isScript := slices.Contains(a.spec.script, "-"+option)
		switch {
		case strings.Contains(a.spec.none, option):
			a.nothing = true
			return
		case strings.Contains(a.spec.attached, option):
			if option == "i" {
				a.replace = cmp.Or(options[i+1:], "{}")
			}
			return
		case !isScript && !strings.Contains(a.spec.values, option):
			continue
		}
		value := options[i+1:]
		if value == "" {
			value = a.value()
		}
		switch {
		case isScript:
			a.script("the text of "+a.name+" -"+option, a.split(value), a.depth)
		case option == "I":
			a.replace = value
		}
		return
	}
}

// xargs handles a command that gets words of the input as arguments, or in place
// of a text in them.
func (a *arguments) xargs() {
	if len(a.left) == 0 {
		return // it prints them
	}
	a.inner.Words = slices.Clone(a.left)
	if a.replace == "" {
		a.inner.Words = append(a.inner.Words, Word(Hole))
	} else {
		for i, w := range a.inner.Words {
			a.inner.Words[i] = Word(strings.ReplaceAll(string(w), a.replace, string(Hole)))
		}
	}
	a.command(a.inner, nil, a.depth+1)
}
