package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// room is a part of the tree and what of our own its packages may import, its
// own part aside. A path stands for itself and all below it; "sdk." is the
// package sdk alone.
type room struct {
	path  string
	may   []string
	tests []string // what its tests may import besides
}

// The suites and the leak check are for the tests of those who use the SDK.
var suites = []string{"sdk/providertest", "sdk/harnesstest", "sdk/proctree"}

// rooms is "Who may import whom". Of several that fit a package the longest
// holds; a package that fits none has no room.
func rooms() []room {
	return []room{
		{path: "sdk", may: []string{"sdk"}},

		{path: "guest", may: []string{"sdk"}},
		{path: "plugins", may: []string{"sdk"}},
		{path: "harnesses", may: []string{"sdk"}},
		{path: "examples/harness-asking", may: []string{"sdk"}},
		{path: "examples/harness-minimal", may: []string{"sdk"}},
		{path: "examples/provider-minimal", may: []string{"sdk"}},
		{path: "examples/demo-agent"},

		{path: "host/cmd/sandlot", may: []string{"host/internal/cli"}},
		{path: "host/bench", may: inside("plugins", "store", "journal", "sdk")},
		{path: "host/internal/cli", may: inside("checkup", "transfer", "forward", "reserve", "config", "format", "gc", "plans", "plugins", "reference", "sandboxes", "recovery", "runs", "policy", "store", "sdk")},
		{path: "host/internal/gc", may: inside("config", "journal", "plugins", "runs", "sandboxes", "store", "workspace")},
		{path: "host/internal/plans", may: inside("config", "plugins", "runs", "sandboxes", "store", "sdk")},
		{path: "host/internal/runs", may: inside("config", "workspace/gitbox", "workspace/gitsource", "sandboxes", "journal", "policy", "recovery", "secrets", "watch", "plugins", "store", "sdk")},
		{path: "host/internal/sandboxes", may: inside("config", "workspace", "plugins", "store", "sdk"), tests: suites},
		{path: "host/internal/workspace", may: inside("config", "sdk/sandbox"), tests: append([]string{"test/gitserver"}, suites...)},
		{path: "host/internal/transfer", may: []string{"sdk/sandbox", "sdk/unseen"}, tests: suites},
		{path: "host/internal/forward", may: []string{"sdk/sandbox"}},
		{path: "host/internal/journal", may: []string{"sdk/sandbox"}, tests: suites},
		{path: "host/internal/watch", may: []string{"sdk/sandbox"}, tests: suites},
		{path: "host/internal/plugins", may: []string{"sdk"}},
		{path: "host/internal/recovery", may: []string{"sdk/sandbox"}},
		{path: "host/internal/config", may: []string{"sdk"}},
		{path: "host/internal/format", may: inside("config")},
		{path: "host/internal/checkup", may: inside("config", "plans", "plugins", "runs", "store", "workspace", "sdk")},
		{path: "host/internal/reference", may: inside("plugins", "sdk")},
		{path: "host/internal/reserve"},
		{path: "host/internal/store", may: []string{"sdk"}},
		{path: "host/internal/policy", may: []string{"host/internal/policy/shell"}},
		{path: "host/internal/policy/shell", may: nil},
		{path: "host/internal/secrets", may: []string{"sdk"}},

		{path: "test/gitserver"},
		{path: "test/modelserver"},
		{path: "test", may: []string{"sdk"}},
	}
}

// inside puts the host's folder before its packages' names.
func inside(names ...string) []string {
	var paths []string
	for _, name := range names {
		if !strings.HasPrefix(name, "sdk") {
			name = "host/internal/" + name
		}
		paths = append(paths, name)
	}
	return paths
}

// private is a part that few may import, whatever their room says.
type private struct {
	path  string
	users []string
}

func privates() []private {
	return []private{
		// Wire conversion and go-plugin: everyone else sees Go interfaces.
		{"sdk/plugin/guest", []string{"guest", "plugins/docker"}},
		{"sdk/plugin", []string{"sdk.", "sdk/providertest", "sdk/harnesstest", "host/internal/plugins"}},
		{"sdk/proto", []string{"sdk/plugin"}},
		{"host/internal/cli", []string{"host/cmd/sandlot"}},
		// Tests alone may have a model that isn't one.
		{"test/modelserver", []string{"test/e2e"}},
		{"test/gitserver", []string{"test/e2e", "test/script", "host/internal/workspace"}},
	}
}

// covers reports whether a path of the tables stands for a package.
func covers(path, pkg string) bool {
	if alone, ok := strings.CutSuffix(path, "."); ok {
		return pkg == alone
	}
	return pkg == path || strings.HasPrefix(pkg, path+"/")
}

func coveredByAny(paths []string, pkg string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return covers(path, pkg) })
}

func roomOf(pkg string) (room, bool) {
	var best room
	for _, r := range rooms() {
		if covers(r.path, pkg) && len(r.path) > len(best.path) {
			best = r
		}
	}
	return best, best.path != ""
}

// privateOf is the part that holds for a package: of several the longest;
// the zero value for a package of none.
func privateOf(pkg string) private {
	var best private
	for _, part := range privates() {
		if covers(part.path, pkg) && len(part.path) > len(best.path) {
			best = part
		}
	}
	return best
}

// importViolations names every import that the tables forbid.
func importViolations(all []pkg) []string {
	found := map[string]bool{}
	for _, p := range all {
		r, ok := roomOf(p.ImportPath)
		if !ok {
			found[p.ImportPath+" has no room: say in imports_test.go what it may import"] = true
			continue
		}
		// Each plugin and each harness is an island: its room is its own folder.
		home := r.path
		if slices.Contains([]string{"plugins", "harnesses"}, r.path) {
			home = strings.Join(strings.SplitN(p.ImportPath, "/", 3)[:2], "/")
		}
		check := func(imports []string, what string, also ...string) {
			for _, to := range imports {
				allowed := covers(home, to) || coveredByAny(r.may, to) || coveredByAny(also, to)
				if part := privateOf(to); part.path != "" && !covers(part.path, p.ImportPath) && !coveredByAny(part.users, p.ImportPath) {
					allowed = false
				}
				if !allowed {
					found[fmt.Sprintf("%s%s imports %s", p.ImportPath, what, to)] = true
				}
			}
		}
		check(p.Imports, "")
		check(p.TestImports, " (test)", r.tests...)
		check(p.XTestImports, " (test)", r.tests...)
	}
	var sorted []string
	for v := range found {
		sorted = append(sorted, v)
	}
	slices.Sort(sorted)
	return sorted
}

func TestImportsFollowTheRules(t *testing.T) {
	for _, v := range importViolations(packages(t)) {
		t.Error(v)
	}
}

func TestImportRulesFindAPlantedViolation(t *testing.T) {
	tests := []struct {
		name string
		pkg  pkg
		want []string
	}{
		{"the SDK may not know the host", pkg{ImportPath: "sdk/schema", Imports: []string{"host/internal/config"}}, []string{"sdk/schema imports host/internal/config"}},
		{"the host may not know a plugin", pkg{ImportPath: "host/internal/runs", Imports: []string{"plugins/localprocess"}}, []string{"host/internal/runs imports plugins/localprocess"}},
		{"nor may its tests", pkg{ImportPath: "host/internal/runs", TestImports: []string{"plugins/localprocess"}}, []string{"host/internal/runs (test) imports plugins/localprocess"}},
		{"a plugin may not know another", pkg{ImportPath: "plugins/docker", Imports: []string{"plugins/localprocess"}}, []string{"plugins/docker imports plugins/localprocess"}},
		{"a plugin may have packages of its own", pkg{ImportPath: "plugins/docker", Imports: []string{"plugins/docker/image", "sdk", "sdk/sandbox"}}, nil},
		{"a plugin may not know the host", pkg{ImportPath: "harnesses/acp/rpc", XTestImports: []string{"host/internal/journal"}}, []string{"harnesses/acp/rpc (test) imports host/internal/journal"}},
		{"the wire is for the glue alone", pkg{ImportPath: "plugins/docker", Imports: []string{"sdk/plugin"}}, []string{"plugins/docker imports sdk/plugin"}},
		{"the glue may have packages of its own", pkg{ImportPath: "sdk/plugin/internal/wire", Imports: []string{"sdk/plugin", "sdk/proto/sandlot/v1"}}, nil},
		{"the SDK's root may use the glue", pkg{ImportPath: "sdk", Imports: []string{"sdk/plugin"}}, nil},
		{"but not all of the SDK", pkg{ImportPath: "sdk/sandbox", Imports: []string{"sdk/plugin"}}, []string{"sdk/sandbox imports sdk/plugin"}},
		{"a sibling outside the table", pkg{ImportPath: "host/internal/journal", Imports: []string{"host/internal/store"}}, []string{"host/internal/journal imports host/internal/store"}},
		{"a part of the SDK outside the table", pkg{ImportPath: "host/internal/watch", Imports: []string{"sdk/harness"}}, []string{"host/internal/watch imports sdk/harness"}},
		{"a suite in a test", pkg{ImportPath: "host/internal/journal", TestImports: []string{"sdk/providertest"}}, nil},
		{"a suite in the program", pkg{ImportPath: "host/internal/journal", Imports: []string{"sdk/providertest"}}, []string{"host/internal/journal imports sdk/providertest"}},
		{"nobody imports the command line", pkg{ImportPath: "host/internal/runs", Imports: []string{"host/internal/cli"}}, []string{"host/internal/runs imports host/internal/cli"}},
		{"but its program", pkg{ImportPath: "host/cmd/sandlot", Imports: []string{"host/internal/cli"}}, nil},
		{"which imports nothing else", pkg{ImportPath: "host/cmd/sandlot", Imports: []string{"sdk"}}, []string{"host/cmd/sandlot imports sdk"}},
		{"a room that isn't in the table", pkg{ImportPath: "host/internal/cache"}, []string{"host/internal/cache has no room: say in imports_test.go what it may import"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, importViolations([]pkg{tt.pkg})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
