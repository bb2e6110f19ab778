package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maybe reads a text that may be a shell's: its commands are possible ones, and
// what can't be read is none.
func (r *reader) maybe(text string, depth int) {
	r.quietly(func() { r.text(text, depth+1) })
}

// quietly has what is found be possible only, and nothing be unknown.
func (r *reader) quietly(read func()) {
	before, unknown := r.possible, r.Unknown
	r.possible = true
	read()
	r.possible, r.Unknown = before, unknown
}

// subscript begins what bash takes for a number and expands for that: in let and
// test, in names that read and printf write to, in variables that numbers are
// made of, and be it in single quotes.
var subscript = regexp.MustCompile("[A-Za-z0-9_}" + string(Hole) + string(Slot) + "][[" + string(Hole) + "][^\\]]*(\\$[" + string(Hole) + string(Slot) + "]*\\(|`)")

// holed is a substitution that is one if what isn't known in it is nothing.
var holed = regexp.MustCompile(`\$[` + string(Hole) + string(Slot) + `]+\(`)

// hidden looks for commands in a text that bash may expand later.
func (r *reader) hidden(w Word, depth int) {
	if !w.Known() && holed.MatchString(string(w)) {
		r.unknown("a text that the shell may expand")
	}
	if text := string(w); strings.Contains(text, "$(") || strings.Contains(text, "`") {
		doc, err := syntax.NewParser(syntax.Variant(r.lang)).Document(strings.NewReader(text))
		if err != nil || doc == nil {
			r.unknown("a text that the shell may expand: %v", err)
			return
		}
		r.quietly(func() { r.node(doc, depth+1) })
	}
}

// quotes looks for single quotes in an expansion that itself stands in quotes, as in
// "${x:-'$(b)'}": the shell takes them for letters, the parser for quotes.
func (r *reader) quotes(parts []syntax.WordPart) {
	for _, part := range parts {
		p, ok := part.(*syntax.ParamExp)
		if !ok || p.Exp == nil || p.Exp.Word == nil {
			continue
		}
		for _, inner := range p.Exp.Word.Parts {
			if _, single := inner.(*syntax.SglQuoted); single {
				r.unknown("single quotes in an expansion in quotes")
			}
		}
		r.quotes(p.Exp.Word.Parts)
	}
}

// subscripts looks into a word for what a number may be made of.
func (r *reader) subscripts(w *syntax.Word, depth int) {
	for _, text := range []Word{resolve(w), whole(w)} {
		if strings.ContainsAny(string(text), "$`") && subscript.MatchString(string(text)) { // a search costs by the text's length
			r.hidden(text, depth)
		}
	}
}

// index looks into a subscript itself.
func (r *reader) index(x syntax.ArithmExpr, depth int) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			r.hidden(resolve(w), depth)
		}
		return true
	})
}

// scripts are variables whose value is a command for a shell or for a program
// that is often run.
var scripts = map[string]bool{
	"PROMPT_COMMAND": true, "PAGER": true, "MANPAGER": true, "GIT_PAGER": true, "EDITOR": true, "VISUAL": true, "FCEDIT": true,
	"GIT_EDITOR": true, "GIT_SEQUENCE_EDITOR": true, "GIT_SSH": true, "GIT_SSH_COMMAND": true, "GIT_PROXY_COMMAND": true,
	"GIT_EXTERNAL_DIFF": true, "GIT_ASKPASS": true, "SSH_ASKPASS": true, "LESSOPEN": true, "LESSCLOSE": true, "BROWSER": true,
	"BASH_ALIASES": true, "RSYNC_RSH": true, "TAR_OPTIONS": true,
}

// assigned looks into NAME=value: values that are run, and those that may be
// expanded later.
func (r *reader) assigned(words []Word, depth int) {
	for _, w := range words {
		name, value, ok := strings.Cut(string(w), "=")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "+"), "[")
		switch {
		case name == "BASH_ENV" || name == "ENV":
			if !Word(value).Known() {
				r.unknown("the file in %s", name)
			}
		case strings.HasPrefix(name, "BASH_FUNC_"):
			r.maybe("f"+value, depth)
		case scripts[name] || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") || strings.HasPrefix(name, "npm_config_"):
			r.maybe(strings.TrimPrefix(value, "!"), depth)
		}
		r.hidden(Word(value), depth)
	}
}

// anywhere takes the rest of words from each one on for a command, and each word
// for a text.
func (r *reader) anywhere(name string, words []Word, in *input, depth int) {
	if len(words) > maxBegins {
		r.unknown("the arguments of %s", name)
	}
	for i, w := range words[:min(len(words), maxBegins)] {
		r.command(Command{Words: words[i:], Inner: true, Possible: true}, in, maxDepth)
		if strings.ContainsAny(string(w), " \t\n;|&") {
			r.maybe(strings.TrimLeft(string(w), "!"), depth)
		}
	}
}

// completion handles the text that makes words to choose from: a shell puts words of
// its own behind it.
func (r *reader) completion(name string, words []Word, depth int) {
	for i, w := range words {
		if !w.Known() {
			r.unknown("the arguments of %s", name)
		}
		_, value, is := strings.Cut(string(w), "C")
		switch {
		case !is || w.option() == "":
		case value != "":
			r.script("the text of "+name, script(Word(value+" x")), depth)
		case i+1 < len(words):
			r.script("the text of "+name, script(words[i+1]+" x"), depth)
		}
	}
}

// git handles settings that name a program, and subcommands that run one.
func (r *reader) git(words []Word, in *input, depth int) {
	for i := 0; i < len(words); i++ {
		w := string(words[i])
		switch {
		case w == "-c" && i+1 < len(words):
			i++
			_, value, _ := strings.Cut(string(words[i]), "=")
			r.maybe(strings.TrimPrefix(value, "!"), depth)
		case !words[i].Known() && i+1 < len(words) && mayBe([]rune(w), []rune("-c")):
			_, value, _ := strings.Cut(string(words[i+1]), "=")
			r.maybe(strings.TrimPrefix(value, "!"), depth)
		case strings.HasPrefix(w, "--config-env"):
			r.unknown("a setting of git's")
		case w == "-C" || w == "--git-dir" || w == "--work-tree" || w == "--namespace":
			i++
		case strings.HasPrefix(w, "-"):
		default:
			switch w {
			case "config", "rebase", "bisect", "submodule", "filter-branch", "difftool", "mergetool":
				r.anywhere("git "+w, words[i+1:], in, depth)
			case "clone", "fetch", "pull", "push", "ls-remote", "archive":
				r.transport(words[i+1:], depth)
			}
			return
		}
	}
}

// transport handles the program that git is to run at the other end, which may
// be this machine.
func (r *reader) transport(words []Word, depth int) {
	for i, w := range words {
		option, value, has := strings.Cut(string(w), "=")
		switch option {
		case "--upload-pack", "--receive-pack", "--exec", "-u":
			if !has && i+1 < len(words) {
				value = string(words[i+1])
			}
			r.maybe(value, depth)
		}
		if command, ok := strings.CutPrefix(string(w), "ext::"); ok {
			r.maybe(command, depth)
		}
	}
}
