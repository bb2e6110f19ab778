package gitsource_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// object writes an object that no git would make.
func (r *repo) object(kind, content string) string {
	r.t.Helper()
	out, err := tryGit(r.t, r.dir, content, "hash-object", "-w", "-t", kind, "--literally", "--stdin")
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(out)
}

// treeOf makes a tree of entries, each "mode name" and an object.
func (r *repo) treeOf(entries ...string) string {
	r.t.Helper()
	var b bytes.Buffer
	for i := 0; i < len(entries); i += 2 {
		b.WriteString(entries[i] + "\x00")
		raw := make([]byte, len(entries[i+1])/2)
		for k := range raw {
			for _, c := range []byte(entries[i+1][2*k : 2*k+2]) {
				digit := strings.IndexByte("0123456789abcdef", c)
				raw[k] = raw[k]<<4 | byte(digit)
			}
		}
		b.Write(raw)
	}
	return r.object("tree", b.String())
}

// commitTree makes a branch of a tree.
func (r *repo) commitTree(branch, tree string) {
	r.t.Helper()
	r.git("update-ref", "refs/heads/"+branch, r.git("commit-tree", tree, "-m", "made by hand"))
}

// Nothing that a repository says makes this machine do anything: each case would
// make a canary of a file if git were left to itself, or is a commit that nobody
// should unpack.
func TestAHostileRepositoryIsHarmless(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		make  func(r *repo, canary string)
		class sandbox.Class // of the error; empty: it is fetched
		says  string
		holds string // a path that must be there
	}{
		{"filters, drivers and hooks in its tree", func(r *repo, canary string) {
			run := "#!/bin/sh\ntouch " + canary + "\n"
			r.commit("evil",
				".gitattributes", "* filter=evil diff=evil merge=evil\n*.sh text eol=crlf working-tree-encoding=UTF-16\n",
				".gitconfig", "[core]\n\tfsmonitor = touch "+canary+"\n[filter \"evil\"]\n\tsmudge = touch "+canary+"\n",
				"hooks/post-checkout", run, "hooks/reference-transaction", run, ".githooks/post-index-change", run, "config", "[core]\n\thooksPath = hooks\n")
		}, "", "", "hooks/post-checkout"},
		{"submodules that want to be updated by a command", func(r *repo, canary string) {
			inner := newRepo(r.t)
			inner.commit("inner", "f", "x")
			r.module("sub", "file://"+inner.dir, inner.git("rev-parse", "HEAD"), "update = !touch "+canary)
		}, "", "", "sub/f"},
		{"a submodule whose URL is a program", func(r *repo, canary string) {
			r.module("sub", "ext::touch "+canary, zero, "")
		}, sandbox.Invalid, "an option or a program", ""},
		{"a submodule whose URL is an option", func(r *repo, canary string) {
			r.module("sub", "--upload-pack=touch${IFS}"+canary, zero, "")
		}, sandbox.Invalid, "an option or a program", ""},
		{"a submodule whose host is an option", func(r *repo, _ string) {
			r.module("sub", "ssh://-oProxyCommand=touch/x", zero, "")
		}, sandbox.Invalid, "an option or a program", ""},
		{"a submodule of another kind of transport", func(r *repo, canary string) {
			r.module("sub", "fd::17/"+canary, zero, "")
		}, sandbox.Invalid, "an option or a program", ""},
		{"a submodule from a folder of this machine", func(r *repo, _ string) {
			r.module("sub", r.dir, zero, "")
		}, sandbox.Invalid, "a path of this machine", ""},
		{"a submodule whose URL leads out of the host", func(r *repo, _ string) {
			r.module("sub", strings.Repeat("../", 40)+"etc", zero, "")
		}, sandbox.Invalid, "leads out of", ""},
		{"a list of submodules that includes other files", func(r *repo, canary string) {
			r.module("sub", "./gone", zero, "[include]\n\tpath = "+canary)
			r.git("config", "-f", canary+".conf", "x.y", "z")
		}, sandbox.NotFound, "fetch submodule", ""},
		{"a list of submodules that is a link", func(r *repo, _ string) {
			link := r.object("blob", "/etc/passwd")
			r.commitTree("main", r.treeOf("120000 .gitmodules", link, "160000 sub", zero))
		}, sandbox.Invalid, "invalid path '.gitmodules'", ""},
		{"a folder over a link", func(r *repo, _ string) {
			link, file := r.object("blob", ".git/hooks"), r.object("blob", "x")
			r.commitTree("main", r.treeOf("120000 a", link, "40000 a", r.treeOf("100755 post-checkout", file)))
		}, sandbox.Invalid, "there twice", ""},
		{"a submodule over a link", func(r *repo, _ string) {
			link := r.object("blob", ".git/modules")
			r.commitTree("main", r.treeOf("120000 sub", link, "160000 sub", zero))
		}, sandbox.Invalid, "there twice", ""},
		{"a name that goes up", func(r *repo, _ string) {
			r.commitTree("main", r.treeOf("40000 ..", r.treeOf("100644 x", r.object("blob", "x"))))
		}, sandbox.Invalid, "isn't one that a file can have", ""},
		{"a name with a slash", func(r *repo, _ string) {
			r.commitTree("main", r.treeOf("100644 .git/config", r.object("blob", "x")))
		}, sandbox.Invalid, "isn't one that a file can have", ""},
		{"an absolute name", func(r *repo, canary string) {
			r.commitTree("main", r.treeOf("100644 "+canary, r.object("blob", "x")))
		}, sandbox.Invalid, "isn't one that a file can have", ""},
		{"a link to what is outside", func(r *repo, canary string) {
			r.commitTree("main", r.treeOf("120000 link", r.object("blob", canary)))
		}, "", "", "link"},
		{"a link to nothing", func(r *repo, _ string) {
			r.commitTree("main", r.treeOf("120000 link", r.object("blob", "")))
		}, sandbox.Invalid, "a link to nothing", ""},
		{"a link that is a file of its own size", func(r *repo, _ string) {
			r.commitTree("main", r.treeOf("120000 link", r.object("blob", strings.Repeat("a/", 4000))))
		}, sandbox.Invalid, "a link to a path of more than", ""},
		{"names that differ in case", func(r *repo, _ string) {
			file := r.object("blob", "x")
			r.commitTree("main", r.treeOf("100644 A", file, "120000 a", r.object("blob", ".git/hooks")))
		}, "", "", "A"},
		{"folders without end", func(r *repo, _ string) {
			tree := r.treeOf("100644 f", r.object("blob", "x"))
			for range 600 {
				tree = r.treeOf("40000 d", tree)
			}
			r.commitTree("main", tree)
		}, sandbox.Invalid, "nested deeper than", ""},
		{"a few trees that name more files than there are grains of sand", func(r *repo, _ string) {
			tree := r.object("blob", "x")
			mode := "100644"
			for range 12 {
				var entries []string
				for c := range 10 {
					entries = append(entries, fmt.Sprintf("%s %d", mode, c), tree)
				}
				tree, mode = r.treeOf(entries...), "40000"
			}
			r.commitTree("main", tree)
		}, sandbox.Exhausted, "names more than 2000000", ""},
	}
	for _, name := range []string{".git", ".GIT", ".Git ", "git~1", "GIT~1", ".git.", ".git::$INDEX_ALLOCATION", ".g\u200cit", `x\.git`} {
		tests = append(tests, struct {
			name  string
			make  func(r *repo, canary string)
			class sandbox.Class
			says  string
			holds string
		}{fmt.Sprintf("a folder %q", name), func(r *repo, _ string) {
			hook := r.object("blob", "#!/bin/sh\n")
			r.commitTree("main", r.treeOf("40000 "+name, r.treeOf("100755 post-checkout", hook)))
		}, sandbox.Invalid, "git's own folder", ""})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			canary := filepath.Join(t.TempDir(), "canary")
			r := newRepo(t)
			tt.make(r, canary)
			dir, err := newHost(t, nil).try(t.Context(), gitsource.Remote{URL: "file://" + r.dir, Depth: 1, Submodules: true})
			if _, there := os.Lstat(canary); !errors.Is(there, os.ErrNotExist) {
				t.Error("something was run")
			}
			switch {
			case tt.class == "" && err != nil:
				t.Fatal(err)
			case tt.class == "":
				if _, err := os.Lstat(filepath.Join(dir, tt.holds)); err != nil {
					t.Error(err)
				}
			case sandbox.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.says):
				t.Errorf("got %v: %v", sandbox.ClassOf(err), err)
			}
		})
	}
}

const zero = "1111111111111111111111111111111111111111"

// module commits a submodule without asking git for it.
func (r *repo) module(path, url, commit, more string) {
	r.t.Helper()
	text := fmt.Sprintf("[submodule %q]\n\tpath = %s\n\turl = %s\n%s\n", path, path, url, more)
	r.commitTree("main", r.treeOf("100644 .gitmodules", r.object("blob", text), "160000 "+path, commit))
}

// A repository on this machine is read by git-upload-pack, which reads its
// configuration.
func TestAHostileConfigurationOfARepositoryOnThisMachineIsHarmless(t *testing.T) {
	t.Parallel()
	canary := filepath.Join(t.TempDir(), "canary")
	run := "touch " + canary
	r := newRepo(t)
	r.commit("one", "f", "x")
	for _, key := range []string{
		"core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.askPass", "core.editor", "core.pager", "uploadpack.packObjectsHook",
		"credential.helper", "core.alternateRefsCommand", "diff.external", "filter.evil.smudge", "remote.origin.uploadpack",
	} {
		r.git("config", key, run)
	}
	hooks := filepath.Join(r.dir, ".git", "hooks")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"pre-receive", "post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "update", "proc-receive"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\n"+run+"\n"), 0o755); err != nil { //nolint:gosec // a hook is a program
			t.Fatal(err)
		}
	}
	newHost(t, nil).fetch(gitsource.Remote{URL: "file://" + r.dir})
	if _, err := os.Stat(canary); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was run")
	}
}

// The person's own settings count for nothing, and nor do variables that change
// what git does.
func TestWhatTheHostSaysToGitDoesNotCount(t *testing.T) {
	t.Parallel()
	canary := filepath.Join(t.TempDir(), "canary")
	home := t.TempDir()
	config := "[core]\n\thooksPath = " + home + "\n\tfsmonitor = touch " + canary + "\n[url \"file:///nowhere/\"]\n\tinsteadOf = file://\n"
	hook := "#!/bin/sh\ntouch " + canary + "\n"
	err := errors.Join(
		os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(home, "reference-transaction"), []byte(hook), 0o755), //nolint:gosec // a hook is a program
	)
	if err != nil {
		t.Fatal(err)
	}
	r := newRepo(t)
	r.commit("one", "f", "x")
	h := newHost(t, nil)
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": home + "/.gitconfig", "GIT_DIR": home, "GIT_EXEC_PATH": home,
		"GIT_SSH_COMMAND": "touch " + canary, "GIT_PROXY_COMMAND": "touch " + canary, "GIT_TEMPLATE_DIR": home, "GIT_TRACE": canary,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": home, "GIT_ALLOW_PROTOCOL": "ext",
	} {
		h.env[name] = value
	}
	h.fetch(gitsource.Remote{URL: "file://" + r.dir, Depth: 1})
	if _, err := os.Stat(canary); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was run, or traced")
	}
}
