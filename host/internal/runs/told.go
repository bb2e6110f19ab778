package runs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// told is what a watchdog saw when it ended an agent: what the agent told last,
// what its processes do, and the end of its stderr.
func (p *pump) told(ctx context.Context, what string) string {
	lines := []string{what, "last event: " + p.doings.lastEvent()}
	if half := p.read() - p.log.offset; half > 0 && p.owed.Load() == 0 {
		lines = append(lines, fmt.Sprintf("it is in the middle of a line, of which it printed %d bytes", half))
	}
	lines = append(lines, p.processes(ctx)...)
	if errs := p.stderr(ctx); errs != "" {
		return strings.Join(lines, "\n") + "\nits last words on stderr: " + errs
	}
	return strings.Join(append(lines, "it wrote nothing to stderr"), "\n")
}

const (
	lookTimeout   = 3 * time.Second // a look at the agent's processes
	mostProcesses = 10              // that are named
	mostCommand   = 120             // characters of a command that are shown
)

// processes are lines that say what the agent's processes do.
func (p *pump) processes(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	var out strings.Builder
	_, err := p.tool(ctx, p.sandbox, sandbox.Command{
		ID: "look-" + p.run.ID, Stdout: &out, Timeout: lookTimeout, MaxOutput: 1 << 20,
		Argv: []string{"/bin/sh", "-c", `PATH=/usr/bin:/bin:$PATH
show() {
	IFS= read -r stat 2>/dev/null <"/proc/$1/stat" && printf '%s\t%s\t%s\n' "$1" "${stat##*) }" "$2"
}
grep -lsF "SANDLOT_PROC=$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
	grep -qsF "SANDLOT_WORKSPACE=$2" "/proc/$pid/environ" || continue # of a run of the same name elsewhere
	show "$pid" "$(tr '\000\n\t' '   ' <"/proc/$pid/cmdline" 2>/dev/null)"
	for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do # a corpse has no environment
		case $(show "$child" -) in *"	Z "*) show "$child" "$(cat "/proc/$child/comm" 2>/dev/null)" ;; esac
	done
done`, "sh", p.proc, p.sandbox.Info().Root},
	})
	if err != nil {
		return []string{"its processes can't be seen: " + err.Error()}
	}
	lines := processLines(out.String(), p.log.redact)
	if len(lines) == 0 {
		return []string{"none of its processes is to be seen"}
	}
	return lines
}

// processLines words what the look saw: of each process its pid, what stands
// behind the name in /proc/PID/stat, and its command, with tabs between. The shell
// that watches the agent isn't named.
func processLines(seen string, redact func([]byte) []byte) []string {
	var lines []string
	more := 0
	for line := range strings.Lines(seen) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(part) < 3 || journal.Wraps(part[2]) {
			continue
		}
		stat := strings.Fields(part[1])
		if len(stat) < 13 {
			continue
		}
		if len(lines) == mostProcesses {
			more++
			continue
		}
		command := []rune(strings.Join(strings.Fields(string(redact([]byte(part[2])))), " ")) // scrubbed before it is cut
		if len(command) > mostCommand {
			command = append(command[:mostCommand-1], '…')
		}
		lines = append(lines, fmt.Sprintf("process %s is %s, %s of CPU: %s", part[0], stateWord(stat[0]), cpu(stat[11], stat[12]), string(command)))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more processes", more))
	}
	return lines
}

// stateWord is what a letter of /proc/PID/stat means.
func stateWord(letter string) string {
	switch letter {
	case "R":
		return "running"
	case "S", "I":
		return "sleeping"
	case "D":
		return "waiting for a disk or a device"
	case "T", "t":
		return "stopped (SIGSTOP; CONT lets it go on)"
	case "Z":
		return "a zombie"
	}
	return "in state " + letter
}

// cpu is the processor time of two counts of ticks, of which Linux has 100 in a
// second on every machine.
func cpu(user, system string) string {
	u, err := strconv.ParseInt(user, 10, 64)
	s, serr := strconv.ParseInt(system, 10, 64)
	if err != nil || serr != nil {
		return "an unknown amount"
	}
	return (time.Duration(u+s) * 10 * time.Millisecond).String()
}
