package policy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// spellings are ways to write the program sudo literally.
var spellings = []string{"sudo", "/usr/bin/sudo", "'sudo'", `"sudo"`, "su'do'", `su"do"`, `s\udo`, "$'sudo'", "../../usr/bin/sudo", "su\\\ndo"}

// runners put a simple command behind another program; %s is the command.
var runners = []string{
	"env A=1 %s", "env -u A -- %s", "A=1 B='2 3' %s", "command %s", "exec %s", "nohup %s", "timeout 5 %s", "timeout -k 1 5 %s", "nice -n 3 %s",
	"echo x | xargs %s", "echo x | xargs -n 1 -I{} %s {}", "find . -maxdepth 0 -exec %s {} \\;", "find . -maxdepth 0 -exec %s {} +", "setsid -w %s",
	"stdbuf -oL %s", "time %s", "time -p %s", "! %s", "%s >/dev/null 2>&1", "</dev/null %s", "%s |& cat",
}

// frames put a text, which may be of many lines, into one that runs it.
var frames = []func(text string, n int) string{
	frame("true && %s"), frame("false || %s"), frame("true;%s"), frame("true\n%s"), frame("\t\t%s"), frame("true | %s"), frame("true & %s"), frame("#c\n%s"),
	frame("(%s\n)"), frame("{ %s\n}"), frame("if true; then\n%s\nfi"), frame("if %s\nthen :; fi"), frame("if false; then :; elif\n%s\nthen :; else :; fi"),
	frame("while\n%s\nfalse; do :; done"), frame("for i in 1; do\n%s\ndone"), frame("case x in (y) ;; x)\n%s\n;; esac"), frame("until\n%s\ntrue; do :; done"),
	frame("f() {\n%s\n}\nf"), frame("function g {\n%s\n}; g"), frame("echo $(%s\n)"), frame("echo \"a $(%s\n) b\""), frame("X=$(%s\n)"), frame("cat <(%s\n)"),
	frame("[[ -z $(%s\n) ]]"), frame("export X=$(%s\n)"), frame("X=(1 $(%s\n))"), frame("echo ${UNSET:-$(%s\n)}"), frame("cat <<E_N\n$(%s\n)\nE_N"),
	frame("bash <<'E_N'\n%s\nE_N"), frame("cat <<'E_N' | bash\n%s\nE_N"), frame("coproc {\n%s\n}; wait"), frame("{ %s\n} >/dev/null"),
	quoted("sh -c %s"), quoted("bash -ec %s name arg"), quoted("eval %s"), quoted("bash <<< %s"), quoted("env A=1 bash -c %s"), quoted("trap %s EXIT"),
	quoted("echo x | xargs bash -c %s"), quoted("printf %%s %s | bash"), quoted("timeout 5 bash -c %s"), quoted("source /dev/stdin <<< %s"),
}

func frame(with string) func(string, int) string {
	return func(text string, n int) string {
		return strings.ReplaceAll(strings.Replace(with, "%s", text, 1), "E_N", fmt.Sprintf("E_%d", n))
	}
}

func quoted(with string) func(string, int) string {
	return func(text string, _ int) string {
		return fmt.Sprintf(with, "'"+strings.ReplaceAll(text, "'", `'\''`)+"'")
	}
}

// denied makes a text that runs sudo, in up to four frames.
func denied(r *rand.Rand) string {
	text := spellings[r.IntN(len(spellings))] + " b"
	if r.IntN(2) == 0 {
		text = strings.Replace(runners[r.IntN(len(runners))], "%s", text, 1)
	}
	for n := range r.IntN(5) {
		text = frames[r.IntN(len(frames))](text, n)
	}
	return text
}

func TestADeniedProgramIsNeverAllowed(t *testing.T) {
	p := Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Allow: []string{"*"}, Deny: []string{"sudo"}}}
	r := rand.New(rand.NewPCG(1, 2))
	asked := 0
	for range 10_000 {
		text := denied(r)
		switch d := Decide(p, Request{Command, text}); d.Action {
		case Allow:
			t.Fatalf("allowed by %s:\n%s", d.Rule, text)
		case Ask:
			asked++
		}
	}
	if asked > 500 {
		t.Errorf("%d of 10000 are asked about; nearly all should be found and denied", asked)
	}
}

// TestTheGeneratedTextsRunTheProgram holds the generator to its word: bash runs a
// program named sudo for each of its texts.
func TestTheGeneratedTextsRunTheProgram(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	for program, script := range map[string]string{"sudo": ": >" + ran, "sh": `exec bash "$@"`} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		text := strings.NewReplacer("../../usr/bin/", dir+"/", "/usr/bin/", dir+"/").Replace(denied(r))
		cmd := exec.CommandContext(t.Context(), "bash", "-c", text)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, _ := cmd.CombinedOutput() // what it ends with depends on the frames
		if err := os.Remove(ran); err != nil {
			t.Errorf("bash doesn't run it: %s\n%s", out, text)
		}
	}
}
