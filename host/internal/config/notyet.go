package config

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// languageAhead is what the language has and this build hasn't: attributes (nil)
// and blocks (their labels) by kind and path. Each is an error where it stands,
// and goes from here with the build that decodes it.
func languageAhead() map[string][]string {
	block, two := []string{}, []string{"kind", "name"}
	return map[string][]string{
		"workspace.package_manager": nil, "workspace.instructions": nil, "workspace.agent_plugins": nil,
		"workspace.setup.parallel": nil, "workspace.skill": two,
		"sandbox.file_events": block, "sandbox.hooks": block,
		"sandbox.lifecycle.detached_ttl": nil,
	}
}

func notYet(at *hcl.Range, what string) *hcl.Diagnostic {
	return problem(at, "Not supported yet", "This build of sandlot doesn't support %s yet. Remove it or use a newer build.", what)
}

// positions are those of blocks in a list, in a path.
var positions = regexp.MustCompile(`\[[0-9]+\]`)

// notYetIn are the entries of languageAhead directly below path, by name.
func (d *decoder) notYetIn(path string) map[string][]string {
	prefix := d.kind + "."
	if path != "" {
		prefix += positions.ReplaceAllString(path, "") + "."
	}
	out := map[string][]string{}
	for key, labels := range d.notYet {
		if name, ok := strings.CutPrefix(key, prefix); ok && !strings.Contains(name, ".") {
			out[name] = labels
		}
	}
	return out
}

func (d *decoder) refuseNotYet(content *hcl.BodyContent, path string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	ahead := d.notYetIn(path)
	for name, attr := range content.Attributes {
		if _, ok := ahead[name]; ok {
			diags = append(diags, notYet(&attr.NameRange, "the argument "+name))
		}
	}
	for _, b := range content.Blocks {
		if _, ok := ahead[b.Type]; ok {
			diags = append(diags, notYet(&b.DefRange, header(b)+" blocks"))
		}
	}
	return diags
}
