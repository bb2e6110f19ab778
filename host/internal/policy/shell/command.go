package shell

import (
	"slices"
	"strings"
)

// command notes a command, and what it runs in turn.
func (r *reader) command(c Command, in *input, depth int) {
	r.assigned(c.Assigns, depth)
	if len(c.Words) == 0 {
		return
	}
	if len(r.Commands) >= maxListed {
		r.unknown("more than %d commands", maxListed)
		return
	}
	if r.words -= c.size(); r.words < 0 {
		r.unknown("too many commands in commands")
		return
	}
	r.Commands = append(r.Commands, c)
	for _, w := range slices.Concat(c.Assigns, c.Words) {
		r.detours(w)
	}
	if depth > maxDepth {
		r.unknown("commands in commands, more than %d deep", maxDepth)
		return
	}
	name, rest := string(c.Words[0].Base()), c.Words[1:]
	r.perhapsDetours(name, rest)
	if len(rest) > 0 {
		if spec, ok := runners[name+" "+string(rest[0])]; ok {
			r.runs(name, spec, c, rest[1:], in, depth)
			return
		}
	}
	if spec, ok := runners[name]; ok {
		r.runs(name, spec, c, rest, in, depth)
		return
	}
	if !Word(name).Known() {
		if perhapsRuns(Word(name)) {
			r.unknown("the program that %s is", c)
		}
		if perhapsChanges(Word(name)) {
			r.Dirs = append(r.Dirs, Word(Hole))
		}
	}
	switch name {
	case "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish", "csh", "tcsh", "yash", "posh", "lksh", "oksh":
		r.shell(name, rest, in, depth)
	case "at", "batch":
		r.script("the text that "+name+" reads", in, depth)
	case "eval":
		r.script("the text of eval", joined(operands(rest)), depth)
	case "trap":
		if rest = operands(rest); len(rest) > 1 && rest[0] != "-" {
			r.script("the text of trap", script(rest[0]), depth)
		}
	case "alias":
		for _, w := range rest {
			if name, text, ok := strings.Cut(string(w), "="); ok {
				r.named[name] = true
				r.script("the text of an alias", script(Word(text)), depth)
			}
		}
	case ".", "source":
		if rest = operands(rest); len(rest) > 0 {
			r.file(name, rest[0], in, depth)
		}
	case "compgen", "complete":
		r.completion(name, rest, depth)
	case "hash": // with the program that a name stands for
		for i, w := range rest {
			switch {
			case !w.Known(), w.option() != "" && strings.HasSuffix(string(w), "p"):
				r.anywhere(name, rest[i:], in, depth)
			case w.option() != "" && strings.Contains(string(w), "p"): // in the same word
				_, value, _ := strings.Cut(string(w), "p")
				r.command(Command{Words: []Word{Word(value)}, Inner: true, Possible: true}, in, depth+1)
			}
		}
	case "git":
		r.elsewhere(func() { r.git(rest, in, depth) })
	case "cd", "chdir", "pushd", "popd":
		r.changes(name, rest)
	case "find", "fd", "fdfind":
		r.find(c, rest, in, depth)
	default:
		if program, ok := strings.CutPrefix(string(c.Words[0]), "="); ok { // as zsh looks it up
			r.command(Command{Words: append([]Word{Word(program)}, rest...), Inner: true, Possible: true}, in, depth+1)
		}
	}
}

// size is what the command takes, in bytes.
func (c Command) size() int {
	n := 0
	for _, w := range slices.Concat(c.Assigns, c.Words) {
		n += len(w) + 1
	}
	return n
}

// operands are words without the sign that no option follows.
func operands(words []Word) []Word {
	if len(words) > 0 && words[0] == "--" {
		return words[1:]
	}
	return words
}

// file handles a file that a shell reads commands from: one that is an input of
// its, or a substitution.
func (r *reader) file(name string, file Word, in *input, depth int) {
	switch path := string(file); {
	case !file.Base().Known(), !file.Known() && strings.Trim(string(file.Base()), "0123456789") == "":
		r.script("the text that "+name+" reads", nil, depth)
	case path == "/dev/stdin", path == "/dev/fd/0", path == "/proc/self/fd/0":
		r.script("the text that "+name+" reads", in, depth)
	case strings.Contains(path, "/fd/"), file.Base() == "stdin", strings.HasPrefix(path, string(Slot)):
		r.script("the text that "+name+" reads", nil, depth)
	case !strings.Contains(path, "/"): // it may be a program's, which is looked up
		r.command(Command{Words: []Word{file}, Inner: true, Possible: true}, in, maxDepth+1)
	}
}

// script reads a text that a command runs; what is the name for it.
func (r *reader) script(what string, in *input, depth int) {
	if in == nil {
		r.unknown("%s", what)
		return
	}
	if !in.known {
		r.unknown("a part of %s", what)
	}
	r.text(in.text+"\n", depth+1) // a backslash at the end has a line's end behind it where it comes from a file
}

// joined is the text of words that a shell gets with blanks between.
func joined(words []Word) *input {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return script(Word(strings.Join(all, " ")))
}

// shell handles a shell as a program: a text in its arguments or on its input.
// A file isn't looked into.
func (r *reader) shell(name string, words []Word, in *input, depth int) {
	text, stdin := false, false
	i := 0
	for ; i < len(words); i++ {
		w := string(words[i])
		if strings.HasPrefix(w, "-") && !words[i].Known() || strings.HasPrefix(w, string(Hole)) {
			r.unknown("the arguments of %s", name)
		}
		if w == "" || w[0] != '-' && w[0] != '+' {
			break
		}
		if w == "--" || w == "-" {
			i++
			break
		}
		if strings.HasPrefix(w, "--") {
			if w == "--rcfile" || w == "--init-file" {
				if i++; i < len(words) {
					r.file(name, words[i], in, depth)
				}
			}
			continue
		}
		text = text || strings.Contains(w, "c")
		stdin = stdin || strings.Contains(w, "s")
		if strings.ContainsAny(w, "oO") {
			i++
		}
	}
	rest := words[min(i, len(words)):]
	switch {
	case text && len(rest) > 0:
		r.script("the text of "+name+" -c", script(rest[0]), depth)
	case text:
	case stdin, len(rest) == 0:
		r.script("the text that "+name+" reads", in, depth)
	default:
		r.file(name, rest[0], in, depth)
	}
}

// find handles the commands that find runs.
func (r *reader) find(c Command, words []Word, in *input, depth int) {
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			end := i + 1
			for end < len(words) && words[end] != ";" && words[end] != "+" {
				end++
			}
			inner := slices.Clone(words[i+1 : end])
			for j, w := range inner {
				inner[j] = Word(strings.ReplaceAll(string(w), "{}", string(Slot)))
			}
			r.elsewhere(func() { r.command(Command{Words: inner, Inner: true, Possible: c.Possible}, in, depth+1) })
			i = end
		}
	}
}
