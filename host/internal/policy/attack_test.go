package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// attacks are ways to run the program `denied` that a real bash takes.
var attacks = []string{
	`denied`, `d""enied`, `den\ied`, `'denied'`, `$'\x64enied'`, `$'denied\0x'`, `$'denied\x00x'`, `$'\x{64}enied'`, `bash -c $'ls\cJdenied'`, `$'\u0064enied'`, `$'\144enied'`, "den\\\nied", "\"den\\\nied\"", `$"denied"`,
	`: && denied`, `! denied`, `! ! denied`, `time denied`, `time -p denied`, `time -- denied`, `time -p -- denied`, `time ! denied`,
	`coproc denied; wait`, `coproc X { denied; }; wait`, `{ denied; }`, `(denied)`, `((denied) )`, `f() { denied; }; f`, `function f { denied; }; f`,
	`f() [[ -n $(denied) ]]; f`, `if denied; then :; fi`, `case $(denied) in *) ;; esac`, `case x in $(denied)) ;; *) ;; esac`,
	`for x in $(denied); do :; done`, `echo "${x:-$(denied)}"`, "echo `denied`", "echo `echo \\`denied\\``", `echo $(( $(denied) + 1 ))`, `echo $[ $(denied) + 1 ]`,
	`x=$(denied)`, `declare -A a=([$(denied)]=1)`, `cat <(denied)`, `: > >(denied); sleep 0.1`, "cat <<E\n$(denied)\nE", `cat <<<$(denied)`,
	`eval denied`, `eval -- denied`, `eval "den" "ied" || eval "denied" x`, `command denied`, `command -p -- denied || denied`, `builtin eval denied`, `builtin command denied`, `exec denied`, `exec -a x denied`, `exec -- denied`,
	`trap denied EXIT`, `trap -- denied EXIT`, `trap 'denied' DEBUG; :`, `shopt -s expand_aliases; alias x=denied
x`, "shopt -s expand_aliases; BASH_ALIASES[x]=denied\nx", `hash -p "$D/denied" x; x`, `compgen -C denied x; true`, `mapfile -C denied -c 1 a <<<x`,
	`env denied`, `env - "$D"/denied`, `env - A=1 "$D/denied"`, `env -- A=1 denied`, `env -- denied`, `env -S denied`, `env -S 'denied\_x'`, `env -S 'denied\vx'`, `env -vS 'denied x'`, `env --split-string='denied x'`, `env -iS "$D/denied x"`, `env --split 'denied x'`, `env -S 'A=1' denied`,
	`env -u X denied`, `env --uns X denied`, `env -C / denied`, `nice denied`, `nice -n 5 denied`, `nice -5 denied`, `nice --adj 5 denied`, `nohup denied`, `setsid -w denied`, `timeout 5 denied`, `timeout -- 5 denied`, `timeout --sig KILL 5 denied`, `timeout -s KILL 5 denied`, `timeout -k 1 5 denied`, `timeout -k1 5 denied`, `timeout --kill 1 5 denied`, `stdbuf -o L denied`, `stdbuf --out L denied`,
	`echo x | xargs denied`, `echo x | xargs -I{} denied {}`, `echo x | xargs -n 1 denied`, `echo x | xargs --max-a 1 denied`, `echo x | xargs -I denied sh -c denied`, `echo denied | xargs sh -c '"$0"'`, `xargs -a <(echo denied) env`, `echo denied | xargs env`,
	`find / -maxdepth 0 -exec denied \;`, `find / -maxdepth 0 -exec env denied ';'`, `find / -maxdepth 0 -exec sh -c denied {} +`,
	`bash -c denied`, `bash -ec denied`, `bash -c -- denied`, `bash -c -e denied`, `bash +x -c denied`, `bash -o errexit -c denied`, `bash -oc errexit denied`, `bash --norc -c denied`, `sh -c '$0' denied`, `bash -c '"$@"' _ denied`,
	`bash <<<denied`, `bash -s <<<denied`, "bash <<E\ndenied\nE", "bash <<'E'\ndenied\nE", "bash <<-E\n\tdenied\n\tE", "bash <<E\necho \\`denied\\`\nE", "bash <<E\necho \\$(denied)\nE", "bash <<E\nden\\\nied\nE", "bash <<E\n\\\\\ndenied\nE",
	`bash < <(echo denied)`, `bash <(echo denied)`, `. <(echo denied)`, `. /dev/stdin <<<denied`, `. /dev/fd/0 <<<denied`, `. /proc/self/fd/0 <<<denied`, `bash /dev/fd/0 <<<denied`, `bash /proc/self/fd/0 <<<denied`, `bash /dev/fd/3 3<<<denied`, `. /dev/fd/3 3<<<denied`, `source -- /dev/stdin <<<denied`, `bash --rcfile <(echo denied) -i <<<'' 2>&1`,
	`{ bash; } <<<denied`, `exec <<<denied; bash`, `echo denied | bash`, `echo -n denied | bash`, `echo -e 'deni\x65d' | bash`, `echo -ne 'denied\n' | bash`, `echo -E denied | bash`, `printf denied | bash`, `printf %s denied | bash`, `printf '%b' 'deni\x65d' | bash`, `printf -- denied | bash`, `printf '%s' den ied | bash`, `printf 'deni\x65d' | bash`, `echo denied | cat | bash`, `echo denied | tee | bash`, `cat <(echo denied) <<<ls | bash`, `echo denied | (bash)`, `echo() { printf denied; }; echo ls | bash`, `cat() { printf denied; }; cat <<<ls | bash`,
	`"$D"/den[i]ed`, `"$D"/den[i"x"]ed`, `x=x; "$D"/den[i$x]ed`, `"$D"/denie?`, `"$D"/denie*`, `shopt -s extglob
"$D"/@(denied)`, `{denied,x}`, `d{e..e}nied || denied`, `"$D"/den{i,}ed`, `cd "$D"; ./d*`, `cd "$D"; ./*d`, `cd "$D"; ./[d]enied`, `cd "$D"; ./den[!x]ed`, `cd "$D"; ./den[[:alpha:]]ed`, `cd "$D"; ~+/denied`,
	`a=(denied); "${a[@]}"`, `x=denied; $x`, `x=denied; "$x"`, `set -- denied; "$@"`, `x=denied; y=x; ${!y}`, `read x <<<denied; $x`, `printf -v x denied; $x`,
	`[[ -v a[$(denied)] ]]`, `[[ -v 'a[$(denied)]' ]]`, `test -v 'a[$(denied)]'`, `[ -v 'a[$(denied)]' ]`, `[[ 'a[$(denied)]' -eq 0 ]]`, `printf -v 'a[$(denied)]' x`, `read 'a[$(denied)]' <<<x`, `unset 'a[$(denied)]'`, `let 'a[$(denied)]=1'`, `declare 'a[$(denied)]=1'`, `export x='a[$(denied)]'; echo $((x))`, `x='a[$(denied)]'; echo $((x))`, `x='a[$(denied)]'; (( x ))`, `declare -i x='a[$(denied)]'`, `a['$(denied)']=1`, `echo "${a['$(denied)']}"`, "x='a[`denied`]'; : $((x))", `x=1; y='a[$(denied)]'; echo ${x:y}`, `for ((i='a[$(denied)]'; 0; )); do :; done`,
	`x='$(denied)'; echo "${x@P}"`, `PS4='$(denied)'; set -x; :`, "PS4='`denied`' bash -xc :", `PROMPT_COMMAND=denied bash --norc -i <<<'' 2>&1`, `PS1='$(denied)' bash --norc -i <<<'' 2>&1`, `export PROMPT_COMMAND=denied; bash --norc -i <<<'' 2>&1`,
	`env 'BASH_FUNC_x%%=() { denied; }' bash -c x`, `BASH_ENV=<(echo denied) bash -c :`,
	`GIT_EXTERNAL_DIFF=denied git diff --no-index --ext-diff /etc/passwd /etc/hostname`, `git -c alias.x='!denied' x`, `git -c diff.external=denied diff --no-index /etc/passwd /etc/hostname`, `git --config-env=alias.x=Y x`,
	`setarch -R denied`, `linux64 denied`, `prlimit denied`, `prlimit --nofile=99 denied`, `setpriv denied`, `su -c denied`, `su - root -c "$D/denied"`, `su root -c denied`, `su root -- -c denied`, `su -lc "$D/denied" root`, `script -qc denied /dev/null`, `unshare -r denied`, `flock $D/lock denied`, `flock $D/lock -c denied`, `flock --timeo 1 $D/lock denied`, `chroot / "$D/denied"`, `chroot --userspec root:root / "$D/denied"`, `taskset -c 0 denied`, `ionice -c 3 denied`, `chrt -b 0 denied`, `runuser -u root denied`, `runuser -u root -- denied`, `ssh-agent denied`, `busybox sh -c denied`,
	`select x in a; do denied; break; done <<<1 2>&1`, `until ! denied; do break; done`, `while denied; do break; done`, `exec {fd}< <(denied)`, `echo x 2> >(denied)`, `: {a,$(denied)}`, `: "$(: "$(denied)")"`, `[[ x =~ $(denied) ]]`, `x=$(<<<x denied)`, `>/dev/null denied`, `2>&1 >/dev/null denied`, `A=1 B=2 denied`, `A=(1 2); denied`,
	"de\\\nnied", "#x\ndenied", "echo a#b; denied", "echo 'a' # it's\ndenied", `x=#; denied`, "cat <<E; denied\nE\n", "cat <<E\n'\nE\ndenied", `denied&`, `:|denied`, `:|&denied`, `:||:;denied`, "if :\nthen denied\nfi", `[ 1 ]&&denied`, `{ :; }; denied`,
	`git submodule foreach denied`, `exec bash <<<denied`, `env bash <<<denied`, `timeout 5 bash <<<denied`, `xargs -I{} sh -c {} <<<denied`, `bash -c bash <<<denied`, `coproc bash; echo denied >&"${COPROC[1]}"; sleep 0.1; kill $!`, `builtin . /dev/stdin <<<denied`, `\eval denied`, `let a[\$\(denied\)]`, "read x <<'E'\na[$(denied)]\nE\n: $((x))", `x='[$(denied)]'; y="a$x"; : $((y))`, `: $((a[$x]))` + `; x='$(denied)'; : $((a[$x]))`, `f() { : $(($1)); }; f 'a[$(denied)]'`, `: $'a[\x24(denied)]'; let $'a[\x24(denied)]'`, "time -- denied\nls <<<x", `bas$1h <<<denied`, `"bas$1h" -c denied`, `ba*sh -c denied`, `env$@ -- denied`, `e$1nv denied`, `ev"$@"al denied`, `.$x /dev/fd/3 3<<<denied`,
	`bash -c - denied`, `bash + -c denied`, "bash +<<E\ndenied\nE", `bash /proc/self/f$1d/0 <<<denied`, `. /dev/$@stdin <<<denied`, `printf -- deni%sed | bash`, `bash <<<'denied\'`, `echo -n 'denied\' | bash`,
	`env -u {a,denied}`, `env -- =1 denied`, `env -- -x=1 denied`, `env -S "-S'denied x'"`, "env -S '\fdenied x'", "env --split 'denied\v x'", `compgen -Cdenied x`, `. denied`, `x=denied; source $x`,
	"deni$\\\n1ed", `x=x; "$D"/den[i$-n1x]ed`, "echo a\r#b; denied", `for ((i='a<[$(denied)]'; 0; )); do :; done`, `let a[\$"$@"\(denied\)]`,
	`compgen -esacC denied x; true`, `compgen -C': ;denied' x`, `complete -C denied x; compgen -C "denied|:|" x; true`, "ls #\\\ndenied", "read - \v #\\\ndenied", "echo a\r#b; denied&&bash -c <<E\nx",
	`echo "${x:-'$(denied)'}"`, `echo "${x-1['$(denied)']}"`, `x=1; echo "${x+'$(denied)'}"`, `echo "${y-${x-'$(denied)'}}"`, `echo "${x:-'}"; denied; echo "'}"`, "cat <<E\n${x-'$(denied)'}\nE", `x=1; echo "${x:'a[$(denied)]'}"`,
	`x={a,denied}'$(denied)'; echo "${x@P}"`, `declare -i x={a,denied}'a[$(denied)]'`, `read {a,denied}'a[$(denied)]' <<<x`, `le$1t a[a\$"$@"\(denied\)]`,
	`read {a,denie}'[$(denied)]' <<<x`, `x=a; read $x'[$(denied)]' <<<x`, `x=a; read "$x"'[$(denied)]' <<<x`,
	`env -S-S 'denied\_x'`, `env -S-u X denied`, `git -"$@"c alias.x='!denied' x`, `git $1 -"$@"c alias.x='!denied' x`, `echo -ne 'denied\commandn' | bash`, `printf '%b' 'denied\cx' | bash`, `printf '%s\' den ied | bash`,
	`'denied x' || denied x`, `env -i denied; denied`, `DENIED`, `"$D/denied"`, `/"$D"/denied`, `"$D"/../"${D##*/}"/denied`, `cd "$D" && ./denied`,
}

// TestNoWayLeadsToADeniedProgram runs each of them, so that it is known which ones
// work here: whatever does, isn't allowed.
func TestNoWayLeadsToADeniedProgram(t *testing.T) {
	dir := t.TempDir()
	marker, bin := filepath.Join(dir, "marker"), filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "denied"), []byte("#!/bin/sh\n: >>'"+marker+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	worked := 0
	for _, text := range attacks {
		runIn(t, bin, text)
		err := os.Remove(marker)
		if err == nil {
			worked++
		}
		if d := Decide(deniesIt, Request{Kind: Command, Target: text}); d.Action == Allow {
			t.Errorf("allowed, and it runs (%t): %s", err == nil, text)
		}
	}
	if worked < len(attacks)*3/4 { // some need root, or a program that isn't everywhere
		t.Errorf("only %d of %d run it here", worked, len(attacks))
	}
}

var deniesIt = Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Deny: []string{"denied *"}}}

// runIn runs a text with bash, which has the folder on its path and as $D. What
// it starts ends with it, since timeout ends a whole group.
func runIn(t *testing.T, bin, text string) {
	cmd := exec.CommandContext(t.Context(), "timeout", "-k", "1", "10", "bash", "-c", text)
	cmd.Dir, cmd.WaitDelay = t.TempDir(), time.Second
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "D="+bin, "Y=!denied")
	out, err := cmd.CombinedOutput()
	t.Logf("%s: %v %.100s", text, err, out)
}

func TestWhatOnlyNamesADeniedProgramIsAllowed(t *testing.T) {
	for _, text := range []string{
		"git grep denied", "fd denied", "git commit -m 'Explain `denied` and [denied] better'", "git commit -m 'Call $(denied)'",
		"grep -n '[`\"]' f", "awk '{ print a[$1] }' f", "sed 's/[$(]denied/x/' f", `echo 'a[$(ls)]'`, "jq '.[] | .denied' f", "cat a b | grep denied",
		"git -c color.ui=always log denied", "git push origin denied", "hash denied", "PAGER=cat git log", "x='a b'; echo \"$x\"",
		"echo -n denied | wc -c", "env -i A=denied ls", "timeout --foreground 5 ls denied", "su-exec", "[ -f denied ]", "cat denied", "ls -- denied",
	} {
		if d := Decide(deniesIt, Request{Kind: Command, Target: text}); d.Action != Allow {
			t.Errorf("%s by %s: %s", d.Action, d.Rule, text)
		}
	}
}
