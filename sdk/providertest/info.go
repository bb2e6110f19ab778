package providertest

import (
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func infoCases() []testCase {
	return []testCase{
		{"root, home and state directory are real and absolute", infoPaths},
		{"the state directory is private", infoStateDir},
		{"the root can be written and starts empty", infoRoot},
		{"what is said of the system is true", infoSystem},
		{"isolation and kill scope are of the closed sets", infoSets},
		{"info stays the same while it runs", infoStays},
	}
}

func infoPaths(b *bed) {
	info := b.sb.Info()
	for _, dir := range []string{info.Root, info.Home, info.StateDir} {
		if !path.IsAbs(dir) || path.Clean(dir) != dir {
			b.Errorf("%q isn't a clean absolute path", dir)
			continue
		}
		if got := strings.TrimSuffix(b.sh(`cd -- "$1" && pwd -P`, dir), "\n"); got != dir {
			b.Errorf("the real path of %q is %q", dir, got)
		}
	}
	if info.StateDir == info.Root || strings.HasPrefix(info.StateDir, info.Root+"/") {
		b.Errorf("the state directory %q is in the workspace %q", info.StateDir, info.Root)
	}
}

func infoStateDir(b *bed) {
	dir := b.sb.Info().StateDir
	if got := b.sh(`ls -ld -- "$1"`, dir); !strings.HasPrefix(got, "drwx------") {
		b.Errorf("mode of %s: %.10s", dir, got)
	}
	b.sh(`printf x >"$1" && rm "$1"`, dir+"/a file")
}

func infoRoot(b *bed) {
	if got := b.sh("ls -A"); got != "" {
		b.Errorf("a new root holds %q", got)
	}
	if got := b.sh("mkdir d && printf x >d/f && cat d/f && pwd -P"); got != "x"+b.sb.Info().Root+"\n" {
		b.Errorf("wrote and read %q", got)
	}
}

func infoSystem(b *bed) {
	info := b.sb.Info()
	if got := strings.ToLower(strings.TrimSpace(b.sh("uname -s"))); got != info.OS {
		b.Errorf("os %q, uname says %q", info.OS, got)
	}
	machine := strings.TrimSpace(b.sh("uname -m"))
	arch := map[string]string{"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
	if want, known := arch[machine]; known && info.Arch != want {
		b.Errorf("arch %q on %s", info.Arch, machine)
	}
	if got := strings.TrimSpace(b.sh("id -un")); got != info.User {
		b.Errorf("user %q, id says %q", info.User, got)
	}
}

func infoSets(b *bed) {
	info := b.sb.Info()
	switch info.Isolation {
	case sandbox.IsolationNone, sandbox.IsolationContainer, sandbox.IsolationVM:
	default:
		b.Errorf("isolation %q", info.Isolation)
	}
	switch info.KillScope {
	case sandbox.KillCgroup, sandbox.KillMark:
	default:
		b.Errorf("kill scope %q", info.KillScope)
	}
}

func infoStays(b *bed) {
	before := b.sb.Info()
	b.sh("mkdir a")
	if after := b.sb.Info(); after != before {
		b.Errorf("before %+v, after %+v", before, after)
	}
}
