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
}

var runners = map[string]runner{
	"builtin": {}, "nohup": {}, "setsid": {}, "fakeroot": {}, "unbuffer": {}, "busybox": {}, "toybox": {}, "caffeinate": {},
	"command": {none: "vV"},
	"exec":    {values: "a"},
	"env":     {values: "uCP", long: []string{"--unset", "--chdir"}, assigns: true, script: []string{"-S", "--split-string"}},
	"sudo": {values: "ughpCrtTUDRc", assigns: true, none: "vKkl", long: []string{
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
	"chroot":    {operands: 1},
	"unshare":   {values: "SGRw", long: []string{"--setuid", "--setgid", "--root", "--wd"}},
	"nsenter":   {values: "tSG", long: []string{"--target", "--setuid", "--setgid"}},
	"setpriv":   {any: true},
	"flock":     {values: "wE", operands: 1, long: []string{"--timeout", "--conflict-exit-code"}, script: []string{"-c", "--command"}},
	"su":        {values: "gGsTw", script: []string{"-c", "--command", "--session-command"}, operands: 1},
	"runuser":   {values: "ugGsTw", script: []string{"-c", "--command", "--session-command"}, operands: 1},
	"script":    {values: "IOBTEmo", script: []string{"-c", "--command"}, operands: 1 << 16},
	"watch":     {values: "nq", long: []string{"--interval"}, text: true},
	"strace":    {values: "oepPsuEabIOSXU", long: []string{"--output"}},
	"ltrace":    {values: "oepsuaAlnxFwD"},
	"mapfile":   {values: "dnOsuc", script: []string{"-C"}, operands: 1 << 16},
	"readarray": {values: "dnOsuc", script: []string{"-C"}, operands: 1 << 16},
	"xargs": {values: "nPLsadEI", attached: "iel", long: []string{
		"--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars", "--process-slot-var",
	}},
	"npx":  {values: "pw", long: []string{"--package", "--workspace"}, script: []string{"-c", "--call"}},
	"bunx": {}, "pnpx": {},
	"npm exec":  {values: "pw", long: []string{"--package", "--workspace"}, script: []string{"-c", "--call"}},
	"npm x":     {values: "pw", long: []string{"--package", "--workspace"}, script: []string{"-c", "--call"}},
	"pnpm exec": {any: true}, "pnpm dlx": {any: true}, "yarn exec": {}, "yarn dlx": {values: "p"}, "bun x": {},
	"bundle exec": {}, "poetry run": {}, "uv run": {any: true}, "mise exec": {any: true}, "direnv exec": {operands: 1},
	"cross-env":       {assigns: true},
	"cross-env-shell": {assigns: true, text: true},
	"parallel":        {any: true}, "systemd-run": {any: true}, "valgrind": {any: true}, "gdb": {any: true}, "perf": {any: true}, "bwrap": {any: true}, "firejail": {any: true},
}
