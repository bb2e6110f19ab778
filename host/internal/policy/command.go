package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/policy/shell"
)

// Verdict is the decision about a part of a command.
type Verdict struct {
	// Part is that part, for people: a command, a file that is written, or what
	// isn't known before it runs.
	Part string
	Decision
}

// Explain decides each part of a command text: each command that it would run,
// each file that its redirections write, and what can't be known. The strictest
// is the decision about the whole. Of an empty text there is one part.
func Explain(p Policy, text string) []Verdict {
	reading := shell.Read(text)
	rules := rulesOf(p)
	var out []Verdict
	for _, c := range reading.Commands {
		if d, ok := rules.decide(c); ok {
			out = append(out, Verdict{c.String(), d})
		}
	}
	look := p.Places.looker()
	for _, w := range reading.Writes {
		d := p.write(func() string { return look.redirection(w, reading.Dirs) })
		out = append(out, Verdict{"> " + shell.Command{Words: []shell.Word{w.File}}.String(), d})
	}
	for _, what := range reading.Unknown {
		out = append(out, Verdict{what, unknown(p, "a part is known only when it runs: "+what)})
	}
	if len(out) == 0 {
		return []Verdict{{text, byDefault(p)}}
	}
	return out
}

// decideText decides a whole text. What a script of the workspace stands for, and
// the script's name, are two names of one command: a rule for either holds.
func decideText(p Policy, text string) Decision {
	d := strictest(Explain(p, text))
	for _, other := range otherNames(p, text) {
		switch e := strictest(Explain(p, other)); {
		case isDefault(e):
		case isDefault(d), severity(e.Action) > severity(d.Action):
			d = e
		}
	}
	return d
}

func isDefault(d Decision) bool { return strings.HasPrefix(d.Rule, byDefaultRule) }

func strictest(all []Verdict) Decision {
	return slices.MaxFunc(all, func(a, b Verdict) int { return severity(a.Action) - severity(b.Action) }).Decision
}

// otherNames are the texts that name the same script of the workspace.
func otherNames(p Policy, text string) []string {
	var out []string
	text = strings.Join(strings.Fields(text), " ")
	for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
		switch command := strings.Join(strings.Fields(p.Scripts[name]), " "); text {
		case name:
			out = append(out, p.Scripts[name])
		case command:
			out = append(out, name)
		}
	}
	return out
}

func severity(a Action) int { return slices.Index([]Action{Allow, Ask, Deny}, a) }

// rules are a policy's, ready to be compared.
type rules struct {
	policy Policy
	strict []rule // those that deny, then those that ask
	allow  []rule
	left   effort
}

// rule is one rule and what it fits.
type rule struct {
	action Action
	text   string
	globs  [][]rune
	folded [][]rune // with its program in small letters
}

func (r rule) String() string { return fmt.Sprintf("commands.%s %q", r.action, r.text) }

func rulesOf(p Policy) *rules {
	out := &rules{policy: p, left: mostEffort}
	for _, text := range p.Commands.Deny {
		out.strict = append(out.strict, rule{Deny, text, wide(text), wide(lowerProgram(text))})
	}
	for _, text := range p.Commands.Ask {
		out.strict = append(out.strict, rule{Ask, text, wide(text), wide(lowerProgram(text))})
	}
	for _, text := range p.Commands.Allow {
		out.allow = append(out.allow, rule{action: Allow, text: text, globs: narrow(text)})
	}
	return out
}

// decide decides one command; ok is false where nothing speaks against a
// command that another one runs: the other one is decided by itself.
func (r *rules) decide(c shell.Command) (d Decision, ok bool) {
	names := []pattern{patternOf(c.Words)}
	base := c.Words[0].Base()
	if base != c.Words[0] {
		names = append(names, patternOf(append([]shell.Word{base}, c.Words[1:]...)))
	}
	var folded []pattern // empty: there is no capital
	if small := lower(base); small != base {
		folded = []pattern{patternOf(slices.Concat([]shell.Word{small}, c.Words[1:]))}
	}
	perhaps := ""
	for _, rule := range r.strict {
		sure, may := r.left.meets(rule.globs, names)
		if sure && !c.Possible {
			return Decision{rule.action, rule.String()}, true
		}
		if perhaps != "" {
			continue
		}
		if !sure && !may {
			sure, may = r.left.meets(rule.folded, folded)
		}
		if sure || may {
			perhaps = rule.String() + " may hold: a part is known only when it runs"
		}
	}
	switch {
	case r.left < 0:
		return unknown(r.policy, tooMuch), true
	case perhaps != "":
		return unknown(r.policy, perhaps), true
	case c.Inner:
		return Decision{}, false
	}
	whole := []pattern{patternOf(slices.Concat(c.Assigns, c.Words))}
	for _, rule := range r.allow {
		if sure, _ := r.left.meets(rule.globs, whole); sure {
			return Decision{Allow, rule.String()}, true
		}
	}
	if r.left < 0 {
		return unknown(r.policy, tooMuch), true
	}
	return byDefault(r.policy), true
}

const tooMuch = "too much text for so many rules"

// lower is a program's name as a file system finds it that takes capitals for
// small letters, as that of macOS does.
func lower(name shell.Word) shell.Word { return shell.Word(strings.ToLower(string(name))) }

func lowerProgram(rule string) string {
	program, rest, _ := strings.Cut(strings.TrimSpace(rule), " ")
	return strings.ToLower(program) + " " + rest
}

// meets reports whether a glob fits one of the patterns for sure, and whether it
// may.
func (e *effort) meets(globs [][]rune, patterns []pattern) (sure, may bool) {
	for _, g := range globs {
		for _, p := range patterns {
			sure = sure || e.fits(g, p)
			may = may || !p.known && e.mayFit(g, p)
		}
	}
	return sure, may
}

// unknown is the decision about what can't be known: to ask where a rule could
// hold for it, be it one about writes, if the default isn't stricter.
func unknown(p Policy, why string) Decision {
	d := byDefault(p)
	if d.Action == Deny || p.Free() {
		return d
	}
	return Decision{Ask, why}
}
