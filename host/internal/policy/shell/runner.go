package shell

// runner is a program whose arguments are a command.
type runner struct {
	values   string   // its short options with a value
	attached string   // its short options whose value, if any, is in the same word
	long     []string // its long options whose value is the next word
	operands int      // its own words before the command
	assigns  bool     // NAME=value may stand before the command
	script   []string // its options whose value is a text for a shell
	text     bool     // what is left is a text for a shell
	none     string   // its short options with which it runs nothing
	any      bool     // its options aren't known here: the command may begin anywhere
	late     bool     // options go on behind --, for the shell that it starts
	moves    bool     // it may run the command in another folder
}

// flags are long options of these programs that have no value.
var flags = []string{
	"--foreground", "--preserve-status", "--verbose", "--ignore-environment", "--null", "--debug", "--no-run-if-empty", "--exit",
	"--interactive", "--open-tty", "--non-interactive", "--preserve-env", "--background", "--set-home", "--login", "--shell",
	"--shared", "--exclusive", "--nonblock", "--close", "--no-fork", "--fork", "--wait", "--ctty", "--yes",
}

var runners = map[string]runner{
	"builtin": {}, "nohup": {}, "setsid": {}, "fakeroot": {}, "unbuffer": {}, "busybox": {}, "toybox": {}, "caffeinate": {},
	"command": {none: "vV"},
	"exec":    {values: "a"},
	"env":     {values: "uCPa", long: []string{"--unset", "--chdir", "--argv0"}, assigns: true, script: []string{"-S", "--split-string"}},
	"sudo": {moves: true, values: "ughpCrtTUDRc", assigns: true, none: "vKl", long: []string{
		"--user", "--group", "--host", "--prompt", "--close-from", "--role", "--type", "--command-timeout", "--other-user", "--chdir", "--chroot",
	}},
	"doas":      {values: "uCa", assigns: true},
	"nice":      {values: "n", long: []string{"--adjustment"}},
	"ionice":    {values: "cnpPu", long: []string{"--class", "--classdata", "--pid"}},
	"chrt":      {values: "TPD", operands: 1},
	"taskset":   {operands: 1},
	"stdbuf":    {values: "ioe", long: []string{"--input", "--output", "--error"}},
	"time":      {values: "fo", long: []string{"--format", "--output"}},
	"timeout":   {values: "ks", long: []string{"--kill-after", "--signal"}, operands: 1},
	"gtimeout":  {values: "ks", long: []string{"--kill-after", "--signal"}, operands: 1},
	"chroot":    {moves: true, operands: 1},
	"unshare":   {moves: true, values: "SGRwl", long: []string{"--setuid", "--setgid", "--root", "--wd"}},
	"nsenter":   {moves: true, values: "tSG", long: []string{"--target", "--setuid", "--setgid"}},
	"setpriv":   {any: true},
	"flock":     {values: "wE", operands: 1, long: []string{"--timeout", "--conflict-exit-code"}, script: []string{"-c", "--command"}},
	"su":        {moves: true, values: "gGsTw", script: []string{"-c", "--command", "--session-command"}, operands: 1 << 16, late: true},
	"runuser":   {any: true, values: "ugGsTw", script: []string{"-c", "--command", "--session-command"}, operands: 1 << 16, late: true},
	"script":    {any: true, values: "IOBTEmo", script: []string{"-c", "--command"}, operands: 1 << 16},
	"watch":     {values: "nqs", long: []string{"--interval"}, text: true},
	"strace":    {values: "oepPsuEabIOSXU", long: []string{"--output"}},
	"ltrace":    {values: "oepsuaAlnxFwD"},
	"mapfile":   {values: "dnOsuc", script: []string{"-C"}, operands: 1 << 16},
	"readarray": {values: "dnOsuc", script: []string{"-C"}, operands: 1 << 16},
	"xargs": {values: "nPLsadEI", attached: "iel", long: []string{
		"--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars", "--process-slot-var",
	}},
	"npx":  {moves: true, values: "pw", long: []string{"--package", "--workspace"}, script: []string{"-c", "--call"}},
	"bunx": {moves: true}, "pnpx": {moves: true},
	"npm exec":  {moves: true, values: "pw", long: []string{"--package", "--workspace"}, script: []string{"-c", "--call"}},
	"npm x":     {moves: true, values: "pw", long: []string{"--package", "--workspace"}, script: []string{"-c", "--call"}},
	"pnpm exec": {any: true}, "pnpm dlx": {any: true}, "yarn exec": {moves: true}, "yarn dlx": {moves: true, values: "p"}, "bun x": {moves: true},
	"bundle exec": {}, "poetry run": {moves: true}, "uv run": {any: true}, "mise exec": {any: true}, "direnv exec": {moves: true, operands: 1},
	"noglob": {}, "nocorrect": {}, "-": {}, "repeat": {operands: 1}, // of zsh
	"--":      {}, // behind the keyword time
	"linux32": {any: true}, "linux64": {any: true}, "setarch": {any: true}, "i386": {any: true}, "x86_64": {any: true}, "prlimit": {any: true},
	"ssh-agent": {any: true}, "dbus-run-session": {any: true}, "xvfb-run": {any: true}, "systemd-inhibit": {any: true}, "numactl": {any: true},
	"pkexec": {any: true}, "run0": {any: true}, "sg": {any: true}, "gosu": {any: true}, "su-exec": {any: true}, "setuidgid": {any: true}, "chpst": {any: true},
	"tini": {any: true}, "dumb-init": {any: true}, "eatmydata": {any: true}, "proot": {any: true}, "rlwrap": {any: true}, "torsocks": {any: true},
	"proxychains": {any: true}, "proxychains4": {any: true}, "faketime": {any: true}, "cpulimit": {any: true}, "chronic": {any: true}, "ifne": {any: true},
	"entr": {any: true}, "tmux": {any: true}, "screen": {any: true}, "hyperfine": {any: true}, "start-stop-daemon": {any: true},
	"cross-env":       {assigns: true},
	"cross-env-shell": {assigns: true, text: true},
	"parallel":        {any: true}, "systemd-run": {any: true}, "valgrind": {any: true}, "gdb": {any: true}, "perf": {any: true}, "bwrap": {any: true}, "firejail": {any: true},
}
