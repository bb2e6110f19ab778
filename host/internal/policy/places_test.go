package policy

import (
	"errors"
	"path"
	"strconv"
	"strings"
	"testing"
)

// here are the places of a sandbox on a user's machine, with links in the workspace.
func here() Places {
	links := map[string]string{
		"/tmp/w/home": "/home/u", "/tmp/w/up": "../..", "/tmp/w/CLAUDE.md": "AGENTS.md", "/tmp/w/abs": "/tmp/w/src", "/tmp/w/loop": "loop",
		"/tmp/w/two": "src/three", "/tmp/w/src/three": "../home/x", "/tmp/w/again/again": "/etc", "/tmp/w/tobare": "bare", "/tmp/w/hooks": ".git/hooks", "/tmp/w/temp": "/tmp/x", "/tmp/w/sub": "src/a/b", "/extra/out": "/etc",
		"/tmp/w/dots": "/tmp/w/../../etc", "/tmp/w/plain": "/tmp/w//./src/",
	}
	there := map[string]bool{"/tmp/w/src": true, "/tmp/w/src/a": true, "/tmp/w/src/a/b": true, "/tmp/w/file": true, "/tmp/w/bare": true, "/tmp/w/bare/HEAD": true, "/tmp/w/again": true}
	return Places{
		Root: "/tmp/w", Home: "/home/u", Kept: []string{"/tmp/state"}, Beside: []string{"/tmp/", "/extra", "relative"}, Attribute: "add_dirs",
		Link: func(file string) (string, bool, error) {
			if path.Base(file) == "broken" {
				return "", false, errors.New("no answer")
			}
			return links[file], links[file] != "" || there[file], nil
		},
	}
}

// what is not covered is told by a part of the reason.
const (
	outside  = "is outside of the workspace and of add_dirs"
	git      = "is in git's own folder"
	unnamed  = "the agent doesn't say which file"
	whenRuns = "known only when"
	away     = "a link in it leads to /"
)

func TestWhichFilesMayBeWritten(t *testing.T) {
	p := Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Deny: []string{"sudo"}}, Places: here()}
	for _, c := range []struct{ name, target, why string }{
		{"a file of the workspace", "/tmp/w/src/x.go", ""},
		{"a new folder's", "/tmp/w/a/b/c", ""},
		{"the folder itself", "/tmp/w", ""},
		{"a temporary file", "/tmp/x", ""},
		{"one in a folder that the harness names", "/extra/x", ""},
		{"a home", "/home/u/.bashrc", outside},
		{"a home by its sign", "~/.bashrc", outside},
		{"the sign alone", "~", outside},
		{"another user's home", "~root/.bashrc", "is outside of the workspace"},
		{"the system's", "/etc/passwd", outside},
		{"all of it", "/", outside},
		{"one that only begins like it", "/extras/x", outside},
		{"the run's own files, in a folder that is covered", "/tmp/state/shell.sh", outside},
		{"two dots to the outside", "/tmp/w/../../etc/passwd", outside},
		{"two dots that come back", "/tmp/w/src/../x", ""},
		{"two dots from the outside", "/etc/../tmp/w/x", "doesn't begin"},
		{"two dots from the outside, and then a link", "/etc/../tmp/w/home/x", "doesn't begin"},
		{"more dots than there are folders", "/tmp/w/../../../../../tmp/w/x", outside},
		{"out and in again to a link", "/tmp/w/../../tmp/w/home/x", outside},
		{"slashes and dots", "//tmp///./w//x/", ""},
		{"slashes to the outside", "//home//u/x", outside},
		{"the run's own files in other letters", "/tmp/State/shell.sh", outside},
		{"other letters are another folder", "/Extra/x", outside},
		{"a relative one", "src/x", unnamed},
		{"a title", "Edit files", unnamed},
		{"nothing", "", "no path is given"},
		{"a variable", "$HOME/.bashrc", "begins with a variable"},
		{"a dollar further on", "/tmp/w/routes/$id.tsx", ""},
		{"a zero byte", "/tmp/w/x\x00/../../../etc/passwd", "signs that can't be seen"},
		{"a line's end", "/tmp/w/x\n/etc/passwd", "signs that can't be seen"},
		{"a blank before it", " /etc/passwd", "blank"},
		{"a blank behind it", "/tmp/w/.git ", "blank"},
		{"a very long one", "/tmp/w/" + strings.Repeat("a/", 3000), "too long"},
		{"one with many steps", "/tmp/w/" + strings.Repeat("src/../", 570), "more to look at"},
		{"a hook of git", "/tmp/w/.git/hooks/pre-commit", git},
		{"that of a nested repository, in other letters", "/tmp/w/sub2/.GIT/config", git},
		{"a file in place of it", "/tmp/w/a/.git", git},
		{"as Windows reads it", "/tmp/w/git~1/config", git},
		{"as macOS reads it", "/tmp/w/.g\u200cit/config", git},
		{"with a stream behind it", "/tmp/w/.git::$INDEX_ALLOCATION/config", git},
		{"of a clone in the temporary folder", "/tmp/clone/.git/config", git},
		{"names that are like it", "/tmp/w/.github/x.git/.gitignore", ""},
		{"what makes a folder a repository", "/tmp/w/src/HEAD", "take its folder for a repository"},
		{"that of a folder of that name", "/tmp/w/HEAD/x", ""},
		{"the settings of a repository without .git", "/tmp/w/bare/config", "a git repository's own folder"},
		{"its hooks", "/tmp/w/bare/hooks/sub/post-checkout", "a git repository's own folder"},
		{"its settings behind a link", "/tmp/w/tobare/config", "a git repository's own folder"},
		{"another file of its", "/tmp/w/bare/description", ""},
		{"settings of something else", "/tmp/w/src/config", ""},
		{"hooks of something else", "/tmp/w/src/hooks/useIt.ts", ""},
		{"settings below them", "/tmp/w/bare/config/x", ""},
		{"two files", "/tmp/w/a, /tmp/w/b", ""},
		{"two files, one outside", "/tmp/w/a, /home/u/.bashrc", outside},
		{"two files, one relative to elsewhere", "/tmp/w/src, ../etc/passwd", unnamed},
		{"a comma in a name", "/tmp/w/a, b", ""},
		{"a link to the outside", "/tmp/w/home/.bashrc", away},
		{"the link itself", "/tmp/w/home", away},
		{"a link up", "/tmp/w/up/etc/passwd", outside},
		{"a link over a link", "/tmp/w/two", away},
		{"a link to a file beside it", "/tmp/w/CLAUDE.md", ""},
		{"a whole path to the workspace in a link", "/tmp/w/abs/x", ""},
		{"one that isn't tidy", "/tmp/w/plain/x", ""},
		{"one with dots to the outside", "/tmp/w/dots/x", outside},
		{"a link to the temporary folder", "/tmp/w/temp/x", ""},
		{"a link to hooks", "/tmp/w/hooks/pre-commit", git},
		{"up from what isn't there, and then a link", "/tmp/w/new/../home/x", "isn't there"},
		{"up from what is there, and then a link", "/tmp/w/src/../home/x", away},
		{"up from where a link leads, and then a link", "/tmp/w/sub/../home/x", away}, // as tools read it
		{"up from where a link leads, inside", "/tmp/w/sub/../x", ""},
		{"up from where a link leads, outside", "/tmp/w/home/../x", away},
		{"a link in a folder that the harness names", "/extra/out/x", away},
		{"a link to itself", "/tmp/w/loop/x", "more than 40 links"},
		{"a file system that doesn't answer", "/tmp/w/broken", "no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkWhy(t, Decide(p, Request{FileWrite, c.target}), c.why)
		})
	}
}

func checkWhy(t *testing.T, got Decision, why string) {
	t.Helper()
	switch {
	case why == "" && got != (Decision{Allow, "file_write"}):
		t.Errorf("got %+v, want that it is allowed", got)
	case why != "" && (got.Action != Ask || !strings.HasPrefix(got.Rule, "file_write: ") || !strings.Contains(got.Rule, why)):
		t.Errorf("got %+v, want that it is asked about since %q", got, why)
	case len(got.Rule) > 1000:
		t.Errorf("the reason has %d bytes", len(got.Rule))
	}
}

func TestWhereRedirectionsMayWrite(t *testing.T) {
	for _, c := range []struct{ name, text, why string }{
		{"the workspace", "x > out", ""},
		{"below it", "x >> src/../a/out 2>>'b c'", ""},
		{"by its path", "x >| /tmp/w/out", ""},
		{"nowhere", "x > /dev/null 2>&1 >&2 2>/dev/stderr >/dev/stdout <>/dev/tty 3>&-", ""},
		{"another command", "x > >(cat) 2> >(wc -l >errors)", ""},
		{"the home", "x > ~/.bashrc", whenRuns},
		{"the home by its path", "x >> /home/u/.bashrc", outside},
		{"all output", "x &> /etc/x", outside},
		{"all output, added", "x &>> /etc/x", outside},
		{"both ways", "x <> /etc/x", outside},
		{"over what is there", "x >| /etc/x", outside},
		{"a copied one", "x >& /etc/x", outside},
		{"over what is there, as zsh has it", "x >! /etc/x; x >>!/etc/x; x &>!/etc/x", whenRuns},
		{"a program, as zsh has it", "x > =ls", whenRuns},
		{"of the shell itself", "exec 3>/etc/x", outside},
		{"of a group", "{ x; } >/etc/x", outside},
		{"in a text", "bash -c 'x > /etc/x'", outside},
		{"in a here-document", "bash <<E\nx > /etc/x\nE", outside},
		{"of nothing", ">/etc/x", outside},
		{"a connection", "x > /dev/tcp/h/80", outside},
		{"a variable", "x > $OUT", whenRuns},
		{"a quoted one", `x > "$HOME/.bashrc"`, whenRuns},
		{"a pattern", "x > /tmp/w/*", whenRuns},
		{"a command's answer", "x > $(mktemp)", whenRuns},
		{"a copied descriptor that isn't known", "x >&$fd", whenRuns},
		{"up", "x > ../x", ""}, // in /tmp
		{"further up", "x > ../../etc/x", outside},
		{"git's own", "x > .git/hooks/pre-commit", git},
		{"behind a link", "x > home/.bashrc", away},
		{"a name that is quoted", `x > "~"`, ""},
		{"in a folder below", "cd src && x > out", ""},
		{"in one by its path", "cd /tmp/w/src; x > out", ""},
		{"in one of several", "cd -P src && (cd -- a; x > out) && cd b", ""},
		{"in a folder elsewhere", "cd /etc && x > passwd", outside},
		{"before it", "x > passwd; cd /etc", outside}, // it may run again
		{"in the home", "cd; x > .bashrc", whenRuns},
		{"in the home by its sign", "cd ~; x > .bashrc", whenRuns},
		{"in the folder before", "cd -; x > y", whenRuns},
		{"above", "cd ..; x > y", whenRuns},
		{"up from a folder below", "cd src; x > ../y", whenRuns},
		{"in one that isn't known", "cd $D; x > y", whenRuns},
		{"in one that a list of folders gives", "CDPATH=/ cd etc; x > y", whenRuns},
		{"in one that such a variable gives", "for CDPATH in /; do cd etc; done; x > y", whenRuns},
		{"elsewhere, and back before the end", "cd /etc; x > passwd; cd /tmp/w", outside},
		{"elsewhere, and perhaps below", "cd /etc; x > passwd; cd src", outside},
		{"below, past one that isn't there", "cd src; cd none; cd a; cd /tmp; x > etc", ""},
		{"below, past one that isn't there, and then a link", "cd sub; cd none; cd /tmp/w/src; x > three/y", away},
		{"below, in another order", "cd none; cd src; x > three/y", away},
		{"below, again", "for i in 1 2; do cd again; done; x > out", away},
		{"where it is", "cd .; cd ./; x > out", ""},
		{"in too many", "cd a; cd b; cd c; cd d; cd e; x > y", whenRuns},
		{"in a variable's", "shopt -s cdable_vars; v=/etc; cd v; x > passwd", whenRuns},
		{"in a variable's, by quotes", `bash -O cdable_""vars -c 'v=/etc; cd v; x > passwd'`, whenRuns},
		{"in a variable's, as zsh has it", "setopt CD_ABLE_VARS; v=/etc; cd v; x > passwd", whenRuns},
		{"in one that stands for a program", "bash -O autocd -ic '../etc\nx > passwd'", whenRuns},
		{"in one that a quoted list of folders gives", `export CD""PATH=/; cd etc; x > passwd`, whenRuns},
		{"in one that zsh's list of folders gives", "cdpath=(/); cd etc; x > passwd", whenRuns},
		{"in one that may be such a list's", `v=ATH; export CDP$v=/; cd etc; x > passwd`, whenRuns},
		{"where a variable's name isn't known", `export $v=/; x > passwd`, ""},
		{"behind a link to a folder", "cd home && x > .bashrc", away},
		{"in one of the stack", "pushd /etc; x > y", outside},
		{"back on the stack", "popd; x > y", whenRuns},
		{"by a builtin", "builtin cd /etc; x > y", outside},
		{"by an alias", "alias g=cd\ng /etc; x > y", whenRuns},
		{"by what isn't known", "$G /etc; x > y", whenRuns},
		{"by a program that isn't known", "$G/bin/x > y", ""},
		{"by env", "env -C /etc sh -c 'x > y'", whenRuns},
		{"by env, spelled out", "env --chd=/etc sh -c 'x > y'", whenRuns},
		{"by env in a text", "env -S '-C /etc' sh -c 'x > y'", whenRuns},
		{"by env that stays", "env A=1 sh -c 'x > y'", ""},
		{"by sudo", "doas -u r sh -c 'x > y'; sudox -D /etc sh -c 'x > y'", ""}, // sudox is a program of its own
		{"by chroot", "chroot /etc sh -c 'x > y'", whenRuns},
		{"beside it", "chroot /etc id > y", ""},
		{"by find", `find /etc -execdir sh -c 'x > y' \;`, whenRuns},
		{"by git", `git -C /etc -c alias.x='!x > y' x`, whenRuns},
		{"by a timer", "timeout 5 sh -c 'x > y'", ""},
		{"many folders", strings.Repeat("cd a;", 9) + "cd a/b;" + strings.Repeat("cd b;", 5) + "x > y", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Policy{Default: Allow, FileWrite: Allow, Network: Ask, Places: here()}
			checkWhy(t, writes(p, c.text), c.why)
		})
	}
}

// writes is the decision about what a command's redirections write.
func writes(p Policy, text string) Decision {
	whole := []Verdict{{"", Decision{Allow, "file_write"}}}
	for _, v := range Explain(p, text) {
		if strings.HasPrefix(v.Part, "> ") {
			whole = append(whole, v)
		}
	}
	return strictest(whole)
}

// TestATextThatHidesWritesIsAskedAbout has a policy without a rule for commands.
func TestATextThatHidesWritesIsAskedAbout(t *testing.T) {
	for _, text := range []string{`eval "$X"`, "x >>| /etc/x", "x > /etc/x ("} {
		for name, p := range map[string]Policy{
			"writes are denied":      {Default: Allow, FileWrite: Deny},
			"writes are asked about": {Default: Allow, FileWrite: Ask},
			"only some are allowed":  {Default: Allow, FileWrite: Allow, Network: Ask},
		} {
			if d := Decide(p, Request{Command, text}); d.Action == Allow {
				t.Errorf("%s: %s: %+v", name, text, d)
			}
		}
		if d := Decide(Policy{Default: Allow}, Request{Command, text}); d.Action != Allow {
			t.Errorf("all is allowed: %s: %+v", text, d)
		}
	}
}

// TestARelativeNameBeginsWhereTheCommandRuns has the agent say in which folder.
func TestARelativeNameBeginsWhereTheCommandRuns(t *testing.T) {
	for _, c := range []struct{ dir, text, why string }{
		{"/tmp/w/src", "x > ../y", ""},
		{"/tmp/w/src", "mkdir n; x > n/../../home/y", "isn't there"},
		{"/tmp/w/src", "x > ../../../etc/y", outside},
		{"/extra", "x > y", ""},
		{"/home/u", "x > .bashrc", outside},
		{"/home/u", "x > /tmp/w/y", ""},
		{"/home/u", "cd /tmp/w && x > y", outside}, // the folder may not be there
		{"/tmp/w/home", "x > .bashrc", away},
		{"/tmp/w/.git", "x > config", git},
	} {
		t.Run(c.dir+" "+strconv.Quote(c.text), func(t *testing.T) {
			p := Policy{Default: Allow, FileWrite: Allow, Network: Ask, Places: here()}
			p.Places.Dir = c.dir
			checkWhy(t, writes(p, c.text), c.why)
		})
	}
}

func TestWhatAllowingWritesDoesNotCoverGetsTheDefaultIfThatIsStricter(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Policy
		want Action
	}{
		{"a default that asks", Policy{Default: Ask, FileWrite: Allow}, Ask},
		{"no default", Policy{FileWrite: Allow}, Ask},
		{"a default that allows, beside a rule", Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Ask: []string{"x"}}}, Ask},
		{"a default that allows, and no word of writes", Policy{Default: Allow, Network: Ask}, Ask},
		{"a default that denies", Policy{Default: Deny, FileWrite: Allow}, Deny},
		{"writes that are denied", Policy{Default: Allow, FileWrite: Deny}, Deny},
		{"writes that are asked about", Policy{Default: Deny, FileWrite: Ask}, Ask},
		{"all is allowed", Policy{Default: Allow, FileWrite: Allow, Network: Allow}, Allow},
		{"all is allowed by the default", Policy{Default: Allow}, Allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []Request{{FileWrite, "/etc/passwd"}, {FileWrite, "../x"}} {
				if d := Decide(c.p, r); d.Action != c.want {
					t.Errorf("%s: %+v", r.Target, d)
				}
			}
		})
	}
}
