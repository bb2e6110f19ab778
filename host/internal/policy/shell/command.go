package shell

import (
	"slices"
	"strings"
)

// command notes a command, and what it runs in turn.
func (r *reader) command(c Command, in *input, depth int) {
	if len(c.Words) == 0 {
		return
	}
	if len(r.Commands) >= maxListed {
		r.unknown("more than %d commands", maxListed)
		return
	}
	r.Commands = append(r.Commands, c)
	if depth > maxDepth {
		r.unknown("commands in commands, more than %d deep", maxDepth)
		return
	}
	name, rest := string(c.Words[0].Base()), c.Words[1:]
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
	switch name {
	case "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish":
		r.shell(name, rest, in, depth)
	case "at", "batch":
		r.script("the text that "+name+" reads", in, depth)
	case "eval":
		r.script("the text of eval", joined(rest), depth)
	case "trap":
		if len(rest) > 1 && rest[0] != "-" {
			r.script("the text of trap", script(rest[0]), depth)
		}
	case "alias":
		for _, w := range rest {
			if _, text, ok := strings.Cut(string(w), "="); ok {
				r.script("the text of an alias", script(Word(text)), depth)
			}
		}
	case ".", "source":
		if len(rest) > 0 && (rest[0] == "/dev/stdin" || strings.HasPrefix(string(rest[0]), string(Slot))) {
			r.script("the text that "+name+" reads", in, depth)
		}
	case "find":
		r.find(c, rest, in, depth)
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
	r.text(in.text, depth+1)
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
		if len(w) < 2 || w[0] != '-' && w[0] != '+' {
			break
		}
		if w == "--" {
			i++
			break
		}
		if strings.HasPrefix(w, "--") {
			if w == "--rcfile" || w == "--init-file" {
				i++
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
	case stdin, len(rest) == 0, rest[0] == "-", rest[0] == "/dev/stdin", strings.HasPrefix(string(rest[0]), string(Slot)):
		r.script("the text that "+name+" reads", in, depth)
	}
}

// find handles the commands that find runs.
func (r *reader) find(c Command, words []Word, in *input, depth int) {
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(words) && words[end] != ";" && words[end] != "+" {
				end++
			}
			inner := slices.Clone(words[i+1 : end])
			for j, w := range inner {
				inner[j] = Word(strings.ReplaceAll(string(w), "{}", string(Slot)))
			}
			r.command(Command{Words: inner, Inner: true, Possible: c.Possible}, in, depth+1)
			i = end
		}
	}
}
