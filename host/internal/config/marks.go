package config

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// secretMark marks every value made of the secret of that name.
type secretMark string

// sensitiveMark marks every value made of the sensitive variable of that name.
type sensitiveMark string

// placeholders stand for secrets while expressions are evaluated. The random
// part, new for each load, keeps a configuration from writing one by hand.
type placeholders struct {
	nonce string
	form  *regexp.Regexp
}

func newPlaceholders() placeholders {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	nonce := hex.EncodeToString(random)
	return placeholders{nonce, regexp.MustCompile(`\{secret:` + nonce + `:([A-Za-z_][A-Za-z0-9_]*)\}`)}
}

// value is what `secret.NAME` evaluates to.
func (p placeholders) value(name string) cty.Value {
	return cty.StringVal("{secret:" + p.nonce + ":" + name + "}").Mark(secretMark(name))
}

// holds reports whether s has a placeholder or a piece of one.
func (p placeholders) holds(s string) bool { return strings.Contains(s, p.nonce) }

// count is the number of whole placeholders in s.
func (p placeholders) count(s string) int { return len(p.form.FindAllStringIndex(s, -1)) }

// split takes a string apart into text and secrets. It is false if what is left
// over has a piece of a placeholder.
func (p placeholders) split(s string) (Value, bool) {
	var v Value
	ok, from := true, 0
	text := func(piece string) {
		if piece != "" {
			v.Parts = append(v.Parts, Part{Text: piece})
			ok = ok && !p.holds(piece)
		}
	}
	for _, m := range p.form.FindAllStringSubmatchIndex(s, -1) {
		text(s[from:m[0]])
		v.Parts = append(v.Parts, Part{Secret: s[m[2]:m[3]]})
		from = m[1]
	}
	text(s[from:])
	return v, ok
}

// markNames returns the secrets and the sensitive variables a value is marked
// with, at any depth, sorted.
func markNames(v cty.Value) (secrets, variables []string) {
	_, marks := v.UnmarkDeep()
	return namesOf(marks)
}

func namesOf(marks cty.ValueMarks) (secrets, variables []string) {
	for m := range maps.Keys(marks) {
		switch m := m.(type) {
		case secretMark:
			secrets = append(secrets, string(m))
		case sensitiveMark:
			variables = append(variables, string(m))
		}
	}
	slices.Sort(secrets)
	slices.Sort(variables)
	return secrets, variables
}
