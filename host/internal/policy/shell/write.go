package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Write is a file that a redirection writes to.
type Write struct {
	File Word
	// Adrift says that a relative name begins in a folder that isn't known: another
	// program runs the text, perhaps in a folder of its own choice.
	Adrift bool
}

// redirections notes the files that are written.
func (r *reader) redirections(list []*syntax.Redirect) {
	for _, redirect := range list {
		switch redirect.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.DplOut:
			to := target(redirect.Word)
			if redirect.Op == syntax.DplOut && descriptor(to) || process(redirect.Word) {
				continue
			}
			switch to {
			case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty":
				continue
			}
			r.Writes = append(r.Writes, Write{to, r.adrift})
		}
	}
}

// target is the file behind a redirection's sign. To zsh a `!` belongs to the sign, and
// `=x` is the program x, wherever that is.
func target(w *syntax.Word) Word {
	if lit, ok := w.Parts[0].(*syntax.Lit); ok && lit.Value != "" && strings.ContainsAny(lit.Value[:1], "!=") {
		return Word(Hole)
	}
	return resolve(w)
}

// descriptor reports whether a word behind >& names a file descriptor.
func descriptor(w Word) bool {
	return w == "-" || w != "" && strings.Trim(strings.TrimSuffix(string(w), "-"), "0123456789") == ""
}

// process reports whether a word is the input of a command, as in `> >(cat)`.
func process(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	_, ok := w.Parts[0].(*syntax.ProcSubst)
	return ok
}

// changes notes the folder that a command of the shell's changes to. What it makes
// of none, of `-` and of two isn't known here.
func (r *reader) changes(name string, words []Word) {
	for len(words) > 0 && name != "popd" {
		switch words[0] {
		case "-L", "-P", "-e", "-@", "--":
			words = words[1:]
			continue
		}
		if w := words[0]; len(words) == 1 && w != "" && !strings.ContainsAny(string(w[:1]), "-+") {
			r.Dirs = append(r.Dirs, w)
			return
		}
		break
	}
	r.Dirs = append(r.Dirs, Word(Hole))
}

// detours notes a setting with which a shell changes to a folder that isn't the one
// that is named, or without being told to: a name is looked for in a list of folders, is
// a variable's, or is a folder in place of a program. zsh takes them in any letters.
func (r *reader) detours(w Word) {
	small := strings.ReplaceAll(strings.ToLower(string(w)), "_", "")
	for _, setting := range []string{"cdpath", "cdablevars", "autocd"} {
		if strings.Contains(small, setting) {
			r.Dirs = append(r.Dirs, Word(Hole))
			return
		}
	}
}

// perhapsDetours notes that such a setting may be made by a name that is only partly
// known.
func (r *reader) perhapsDetours(program string, words []Word) {
	switch program {
	case "shopt", "setopt", "export", "declare", "typeset", "local", "readonly", "read":
	default:
		return
	}
	for _, w := range words {
		name, _, _ := strings.Cut(string(w), "=")
		for _, setting := range []string{"CDPATH", "cdpath", "cdable_vars", "autocd"} {
			if !Word(name).Known() && mayBe([]rune(name), []rune(setting)) {
				r.detour = true
			}
		}
	}
}

// perhapsChanges reports whether a program whose name is only partly known may be one
// that changes the folder.
func perhapsChanges(name Word) bool {
	for _, other := range []string{"cd", "chdir", "pushd", "popd"} {
		if mayBe([]rune(name), []rune(other)) {
			return true
		}
	}
	return false
}

// elsewhere reads what may run in another folder.
func (r *reader) elsewhere(read func()) {
	before := r.adrift
	r.adrift = true
	read()
	r.adrift = before
}

// changesDir reports whether an option of env may name a folder to run in.
func changesDir(words []Word) bool {
	for _, w := range words {
		if strings.HasPrefix(string(w), "--c") || w.option() != "" && strings.Contains(string(w), "C") || !w.Known() {
			return true
		}
	}
	return false
}
