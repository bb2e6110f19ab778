package config

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// scriptName is what a script may be called: one word, which no shell reads as
// anything else.
var scriptName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// scriptsOf are the scripts of a workspace by name; nil if there are none.
func scriptsOf(out *decoded) (map[string]string, hcl.Diagnostics) {
	tree, _ := out.tree["scripts"].(map[string]any)
	if len(tree) == 0 {
		return nil, nil
	}
	var diags hcl.Diagnostics
	all := make(map[string]string, len(tree))
	for name, value := range tree {
		at := out.ranges.at(schema.Key("scripts", name)).Ptr()
		command, _ := value.(string)
		switch {
		case !scriptName.MatchString(name):
			diags = append(diags, problem(at, "Invalid name",
				"%q can't be the name of a script: letters, digits and . _ : - only, the first a letter, digit or _.", name))
		case strings.TrimSpace(command) == "":
			diags = append(diags, problem(at, "Empty script", "The script %q has no command.", name))
		}
		all[name] = command
	}
	return all, diags
}
