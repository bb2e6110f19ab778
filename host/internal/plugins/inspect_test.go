//go:build unix

package plugins_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

// TestInspectAgreesWithFind has the same plugin in three folders, of which the
// first was named for it.
func TestInspectAgreesWithFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		named bool // the first folder was named with --plugin-dir
		mode  os.FileMode
		want  [3]string // what each is said to be
	}{
		{"the first is sound", true, 0o755, [3]string{"used", "behind 0", "behind 0"}},
		{"the first is refused, and named", true, 0o644, [3]string{"refused", "behind 0", "behind 0"}},
		{"the first is refused, and isn't named", false, 0o644, [3]string{"refused", "used", "behind 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := t.TempDir()
			dirs := []string{filepath.Join(base, "a"), filepath.Join(base, "b"), filepath.Join(base, "c")}
			var paths []string
			for i, dir := range dirs {
				if i == 0 { // a file of its own: the others are links to one
					paths = append(paths, script(t, dir, "sandlot-provider-probe", `echo '{"kind":"provider","type":"probe","protocols":[1]}'`))
					if err := os.Chmod(paths[0], c.mode); err != nil {
						t.Fatal(err)
					}
					continue
				}
				paths = append(paths, install(t, dir, "sandlot-provider-probe"))
			}
			opts := plugins.Options{EnvDirs: dirs[0] + ":" + dirs[1] + ":" + dirs[2]}
			if c.named {
				opts = plugins.Options{Dirs: dirs[:1], EnvDirs: dirs[1] + ":" + dirs[2]}
			}
			p := plugins.New(opts)
			var got [3]string
			used := ""
			for n, i := range p.Inspect(t.Context(), os.Environ()) {
				switch {
				case i.Refused != "":
					got[n] = "refused"
				case i.Behind != "":
					for m, path := range paths {
						if path == i.Behind {
							got[n] = "behind " + string(rune('0'+m))
						}
					}
				default:
					got[n], used = "used", i.Path
				}
				if i.SHA256 == "" || i.Problem != "" {
					t.Errorf("%s: sum %q, problem %q", i.Path, i.SHA256, i.Problem)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if found, err := p.Find(plugins.Provider, "probe"); found.Path != used {
				t.Errorf("Find says %q, %v; Inspect says %q", found.Path, err, used)
			}
		})
	}
}

// TestInspectWaitsForNoPipe has one in the place of a plugin: nobody writes to it.
func TestInspectWaitsForNoPipe(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "sandlot-provider-pipe"), 0o755))
	install(t, dir, "sandlot-provider-probe")
	all := plugins.New(plugins.Options{Dirs: []string{dir}}).Inspect(t.Context(), os.Environ())
	if len(all) != 2 || all[0].Refused != "it is not a file" || all[0].SHA256 != "" || all[1].SHA256 == "" {
		t.Errorf("got %+v", all)
	}
}
