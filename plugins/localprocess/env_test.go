package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

var update = flag.Bool("update", false, "write what processes see into testdata")

// shell is an environment in which somebody starts a run: with what a host, an
// agent CLI around it and the person set, and a few names no shell would take.
func shell(home string) []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "USER=ann", "LANG=C.UTF-8", "LC_ALL=C", "TERM=xterm",
		"XDG_CONFIG_HOME=" + home + "/.config", "XDG_RUNTIME_DIR=/run/user/1000", "CODEX_HOME=" + home + "/.codex",
		"AWS_KEY=from-the-shell", "AWS_REGION=here", "XAI_API_KEY=from-the-shell", "TOKEN=from-the-shell",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_OAUTH_TOKEN=kept", "CODEX_SANDBOX_NETWORK_DISABLED=1",
		"SANDLOT_HOME=" + home, "SANDLOT_HOST_PID=1", "SANDLOT_VAR_k=v", "SANDLOT_PROC=outer", "SANDLOT_TREE=outer",
		"PLUGIN_MIN_PORT=1", "PLUGIN_CLIENT_CERT=x", "sandlot_lower=yes",
		"EMPTY=", "A=b=c", "TWICE=first", "TWICE=second", "WEIRD NAME=x", "ÜMLAUT=ü", "LINES=a\nb", "BYTES=\xff\xfe",
		"without-equals", "=C:=C:\\folder",
	}
}

// What a command really sees, asked of the command itself.
func TestWhatACommandSees(t *testing.T) {
	for _, c := range []struct {
		name   string
		config config
	}{
		{"by default it is all but what the host and agents set", config{}},
		{"with inherit_env it is what programs need and what is named", config{InheritEnv: []string{"AWS_*", "TWICE", "XAI_API_KEY"}}},
		{"with an empty inherit_env it is what programs need", config{InheritEnv: []string{}}},
		{"inherit_env brings back nothing that never passes", config{InheritEnv: []string{"*"}}},
		{"with scrub_env it is all but what is named", config{ScrubEnv: []string{"XAI_API_KEY", "AWS_*", "TOKEN", "PATH", "SANDLOT_*"}}},
		{"scrub_env takes from what inherit_env names", config{InheritEnv: []string{"AWS_*"}, ScrubEnv: []string{"AWS_KEY", "LC_*"}}},
		{"with a private home nothing leads into the own one", config{Home: homePrivate}},
		{"with a private home inherit_env brings none of that back", config{Home: homePrivate, InheritEnv: []string{"CODEX_HOME", "XDG_*"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			p, err := configure(c.config, sdk.Host{Home: t.TempDir(), Owner: "me", Log: hclog.NewNullLogger()}, shell(home))
			if err != nil {
				t.Fatal(err)
			}
			b := create(t, p)
			// As the host does: what it resolved of the workspace's env and secrets.
			own := map[string]string{"TOKEN": "a workspace secret", "XAI_API_KEY": "another", "SANDLOT_WORKSPACE": b.info.Root, "NONE": ""}
			got := run(t, b, sandbox.Command{Argv: []string{"/usr/bin/env", "-0"}, Env: own})
			if got.exit.Code != 0 {
				t.Fatalf("%+v", got)
			}
			text := strings.NewReplacer(b.info.StateDir, "$STATE", b.info.Root, "$ROOT", p.home, "$SANDLOT_HOME", home, "$OWN", "/"+filepath.Base(filepath.Dir(b.info.Root))+"/", "/$KEY/").Replace(got.stdout)
			golden(t, c.name, text)
		})
	}
}

func golden(t *testing.T, name, env string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(env, "\x00"), "\x00")
	for i, line := range lines {
		if chain, ok := strings.CutPrefix(line, "SANDLOT_TREE="); ok {
			outer, _, _ := strings.Cut(chain, "/")
			line = "SANDLOT_TREE=" + outer + "/$TREE"
		}
		lines[i] = fmt.Sprintf("%q", line)
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", "env", strings.ReplaceAll(name, " ", "-")+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamesThatDifferInCaseAreOneWhereTheSystemSaysSo(t *testing.T) {
	host := []string{"Path=C:\\bin", "=C:=C:\\x", "claudecode=1", "Sandlot_Host_Pid=1", "Plugin_Min_Port=2", "Aws_Key=k", "Other=o", "SystemRoot=C:\\Windows", "UserProfile=C:\\me"}
	for _, c := range []struct {
		name   string
		config config
		fold   bool
		want   []string
	}{
		{"Windows", config{}, true, []string{"AWS_KEY=mine", "Other=o", "PATH=D:\\bin", "SystemRoot=C:\\Windows", "UserProfile=C:\\me"}},
		{"Windows, narrowed", config{InheritEnv: []string{"other"}}, true, []string{"AWS_KEY=mine", "Other=o", "PATH=D:\\bin", "SystemRoot=C:\\Windows", "UserProfile=C:\\me"}},
		{"Windows, scrubbed", config{ScrubEnv: []string{"OTH*"}}, true, []string{"AWS_KEY=mine", "PATH=D:\\bin", "SystemRoot=C:\\Windows", "UserProfile=C:\\me"}},
		{"Windows, with a private home", config{Home: homePrivate}, true, []string{"AWS_KEY=mine", "Other=o", "PATH=D:\\bin", "SystemRoot=C:\\Windows"}},
		{"others, scrubbed", config{ScrubEnv: []string{"OTH*", "claudecode", "Sandlot_*", "Plugin_*", "UserProfile"}}, false, []string{
			"AWS_KEY=mine", "Aws_Key=k", "Other=o", "PATH=D:\\bin", "Path=C:\\bin", "SystemRoot=C:\\Windows",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := c.config.inherited(newEnvironment(host, c.fold)).with(map[string]string{"PATH": "D:\\bin", "AWS_KEY": "mine"})
			if diff := cmp.Diff(c.want, env.entries()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPrivateHomeOnWindows(t *testing.T) {
	env := config{Home: homePrivate}.homeEnv("H", true)
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CACHE_HOME"} {
		if !strings.HasPrefix(env[name], "H") {
			t.Errorf("%s is %q", name, env[name])
		}
	}
}

// The kernel's own words are the same for all of these.
func TestWhatIsTooBigIsNamed(t *testing.T) {
	big := strings.Repeat("v", 100<<10)
	many := []string{"PATH=/usr/bin:/bin", "HOME=/"}
	for i := range 64 {
		many = append(many, fmt.Sprintf("MANY_%02d=%s", i, big))
	}
	for _, c := range []struct {
		name  string
		host  []string
		cmd   sandbox.Command
		words []string
	}{
		{"a variable", nil, sandbox.Command{Env: map[string]string{"HUGE": strings.Repeat("v", 1<<20)}}, []string{"the variable HUGE alone has 1024 KiB", "scrub_env"}},
		{"an argument", nil, sandbox.Command{Argv: []string{"echo", strings.Repeat("v", 200<<10)}}, []string{"one argument has 200 KiB", "in a file"}},
		{"a whole shell's variables", many, sandbox.Command{}, []string{"variables 6", "the largest variable is MANY_", "inherit_env"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			p, err := configure(config{}, sdk.Host{Home: t.TempDir(), Owner: "me", Log: hclog.NewNullLogger()}, append(c.host, shell("/")...))
			if err != nil {
				t.Fatal(err)
			}
			b := create(t, p)
			if c.cmd.ID = "p"; c.cmd.Argv == nil {
				c.cmd.Script = ":"
			}
			_, err = b.Start(t.Context(), c.cmd)
			wantClass(t, err, sandbox.Invalid, append(c.words, "argument list too long")...)
			if err != nil && strings.Contains(err.Error(), "vvvv") {
				t.Errorf("a value is shown: %.300v", err)
			}
			clean(t, b)
		})
	}
}
