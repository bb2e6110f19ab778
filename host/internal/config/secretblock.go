package config

import (
	"regexp"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// secretBody is the body of a secret block.
type secretBody struct {
	Env    string        `hcl:"env,optional" doc:"Environment variable that holds the value." example:"\"GH_TOKEN\""`
	Value  schema.Secret `hcl:"value,optional" doc:"The value itself; use a sensitive variable rather than a literal."`
	Redact bool          `hcl:"redact" default:"true" doc:"Scrub output of the value."`
}

// secret is a declared secret.
type secret struct {
	block *hcl.Block
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// declareSecrets makes the names known, so that locals may use them.
func (l *loader) declareSecrets() hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range l.blocks["secret"] {
		name := b.Labels[0]
		if !variableName.MatchString(name) {
			diags = append(diags, problem(&b.LabelRanges[0], "Invalid name",
				"A secret goes into the environment under its name, so it has letters, digits and underscores only; %q doesn't.", name))
		}
		l.secrets[name] = &secret{b}
	}
	return diags
}

// decodeSecrets reads where secrets come from, and the values of those that
// stand in the configuration.
func (l *loader) decodeSecrets() hcl.Diagnostics {
	var diags hcl.Diagnostics
	sources := sync.OnceValue(l.sourceScope)
	for _, b := range l.blocks["secret"] {
		name := b.Labels[0]
		d := l.hostDecoder("secret")
		hasValue := false
		d.special = map[string]special{"value": func(expr hcl.Expression) (any, hcl.Diagnostics) {
			hasValue = true
			return nil, l.secretValue(name, expr, sources())
		}}
		var body secretBody
		out, more := d.into(b, &body)
		diags = append(diags, more...)
		if more.HasErrors() {
			continue
		}
		switch {
		case body.Env != "" && hasValue:
			diags = append(diags, problem(out.ranges.at("value").Ptr(), "Two sources", "secret.%s has both env and value. Keep one.", name))
		case body.Env == "" && !hasValue:
			diags = append(diags, problem(&b.DefRange, "No source", "Say where secret.%s comes from: env = \"VARIABLE\" or value = ...", name))
		}
		l.project.secrets[name] = SecretSource{Env: body.Env, Value: hasValue, Redact: body.Redact}
	}
	return diags
}

// sourceScope is what a secret block may use. Sensitive variables come without
// their mark: this is where they belong.
func (l *loader) sourceScope() scope {
	plain := func(values map[string]cty.Value) map[string]cty.Value {
		out := make(map[string]cty.Value, len(values))
		for name, v := range values {
			if secrets, _ := markNames(v); len(secrets) == 0 {
				v, _ = v.UnmarkDeep()
			}
			out[name] = v
		}
		return out
	}
	return scope{
		roots:     map[string]map[string]cty.Value{"var": plain(l.vars), "local": plain(l.locals)},
		functions: functions(l.folder, l.marks, l.opts.Env),
	}
}

// secretValue evaluates a literal value. Null, as env() gives for what isn't
// set, is left out: whoever needs the secret names it as missing.
func (l *loader) secretValue(name string, expr hcl.Expression, sources scope) hcl.Diagnostics {
	v, diags := sources.eval(expr)
	if diags.HasErrors() {
		for _, d := range diags { // what failed may quote a value, in a form no scrubbing would find
			d.Detail = "The value of secret." + name + " can't be made (the reason may hold a secret, so it isn't shown)."
		}
		return diags
	}
	secrets, _ := markNames(v)
	v, _ = v.UnmarkDeep()
	switch {
	case len(secrets) > 0:
		return hcl.Diagnostics{problem(expr.Range().Ptr(), "Secret made of a secret",
			"The value of a secret can't be made of secret.%s. Compose them where they are used: env = { X = \"${secret.A}:${secret.B}\" }.", secrets[0])}
	case !v.IsWhollyKnown() || v.IsNull():
		return nil
	case v.Type() != cty.String:
		return hcl.Diagnostics{problem(expr.Range().Ptr(), "Wrong type", `"value" needs a string.`)}
	}
	l.project.values[name] = v.AsString()
	l.project.scrub.add(v.AsString())
	return nil
}
