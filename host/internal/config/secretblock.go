package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// secretBody is the body of a secret block.
type secretBody struct {
	Env     string        `hcl:"env,optional" doc:"Environment variable that holds the value." example:"\"GH_TOKEN\""`
	File    string        `hcl:"file,optional" doc:"File that holds the value, relative to this file; ~/ is your home." example:"\"~/.config/app/token\""`
	Command []string      `hcl:"command,optional" doc:"Program that prints the value, and its arguments." example:"[\"gh\", \"auth\", \"token\"]"`
	Value   schema.Secret `hcl:"value,optional" doc:"The value itself; use a sensitive variable rather than a literal."`
	Redact  bool          `hcl:"redact" default:"true" doc:"Scrub output of the value."`
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
		src := SecretSource{Env: body.Env, Command: body.Command, Value: hasValue, Redact: body.Redact}
		src.File, more = l.secretFile(body.File, out)
		if more = append(more, checkCommand(body.Command, out)...); len(more) == 0 {
			more = oneSource(src, name, out, b)
		}
		diags = append(diags, more...)
		l.project.secrets[name] = src
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

// oneSource refuses a block with several sources, or none.
func oneSource(src SecretSource, name string, out *decoded, b *hcl.Block) hcl.Diagnostics {
	var given []string
	for _, source := range []struct {
		name  string
		given bool
	}{{"env", src.Env != ""}, {"file", src.File != ""}, {"command", len(src.Command) > 0}, {"value", src.Value}} {
		if source.given {
			given = append(given, source.name)
		}
	}
	switch len(given) {
	case 0:
		return hcl.Diagnostics{problem(&b.DefRange, "No source",
			"Say where secret.%s comes from: env = \"VARIABLE\", file = \"PATH\", command = [\"PROGRAM\", ...] or value = ...", name)}
	case 1:
		return nil
	}
	return hcl.Diagnostics{problem(out.ranges.at(given[1]).Ptr(), "Two sources", "secret.%s has %s. Keep one.", name, strings.Join(given, " and "))}
}

// secretFile is the absolute path of a secret's file.
func (l *loader) secretFile(path string, out *decoded) (string, hcl.Diagnostics) {
	at, given := out.ranges["file"]
	rest, below := strings.CutPrefix(filepath.ToSlash(path), "~/")
	switch {
	case !given:
		return "", nil
	case path == "":
		return "", hcl.Diagnostics{problem(&at, "Invalid path", "\"file\" names no file.")}
	case strings.ContainsRune(path, 0):
		return "", hcl.Diagnostics{problem(&at, "Invalid path", "A path can't have a NUL character.")}
	case below:
		home := l.home()
		if home == "" {
			return "", hcl.Diagnostics{problem(&at, "No home folder", "%q is below your home folder, and HOME isn't set to an absolute path.", path)}
		}
		return filepath.Join(home, rest), nil
	case strings.HasPrefix(path, "~"):
		return "", hcl.Diagnostics{problem(&at, "Invalid path",
			"Only ~/ is your home folder; another user's isn't known. A file of this folder whose name begins so is \"./%s\".", path)}
	}
	return absolute(path, l.folder), nil
}

func (l *loader) home() string {
	if l.opts.Env == nil {
		return ""
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if v, _ := l.opts.Env(name); filepath.IsAbs(v) {
			return v
		}
	}
	return ""
}

func checkCommand(argv []string, out *decoded) hcl.Diagnostics {
	at, given := out.ranges["command"]
	switch {
	case !given:
		return nil
	case len(argv) == 0 || argv[0] == "":
		return hcl.Diagnostics{problem(&at, "No command", "\"command\" names no program, as in command = [\"gh\", \"auth\", \"token\"].")}
	case slices.ContainsFunc(argv, func(arg string) bool { return strings.ContainsRune(arg, 0) }):
		return hcl.Diagnostics{problem(&at, "Invalid command", "An argument can't have a NUL character.")}
	case len(argv) == 1 && strings.ContainsAny(argv[0], " \t"):
		return hcl.Diagnostics{problem(&at, "Invalid command",
			"There is no shell to take %q apart: write each argument by itself, as in [\"gh\", \"auth\", \"token\"], or name a shell, as in [\"sh\", \"-c\", ...].", argv[0])}
	}
	return nil
}
