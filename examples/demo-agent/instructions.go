package main

import (
	"context"
	"strings"
)

// action is an instruction with its argument filled in.
type action func(ctx context.Context, t *turn) error

// instruction is one thing a prompt line may say: its first words, what follows
// them, what it does. Make returns nil if the argument makes no sense; the line
// is then taken for prose.
type instruction struct {
	words string
	arg   string
	does  string
	make  func(arg string) action
}

// instructions lists what the agent understands, in the order of its help.
// Where one is the beginning of another, the longer comes first.
func instructions() []instruction {
	return []instruction{
		{"say", "TEXT", "answers with the text", func(arg string) action {
			return func(_ context.Context, t *turn) error { t.say(unescape(arg)); return nil }
		}},
		{"think", "TEXT", "thinks the text", func(arg string) action {
			return func(_ context.Context, t *turn) error { t.stream(chunkThought, unescape(arg)); return nil }
		}},
		{"write", "PATH: CONTENT", `replaces a file with the content and a line end; \n and \t are understood`, edits(false, false)},
		{"append", "PATH: CONTENT", "adds a line to a file", edits(false, true)},
		{"read", "PATH", "reads a file and answers with it", func(arg string) action {
			return func(_ context.Context, t *turn) error { return t.read(arg) }
		}},
		{"run", "COMMAND", "runs a shell command and streams its output", runs(false)},
		{"ask write", "PATH: CONTENT", "asks for permission first", edits(true, false)},
		{"ask append", "PATH: CONTENT", "asks for permission first", edits(true, true)},
		{"ask run", "COMMAND", "asks for permission first", runs(true)},
		{"plan", "A; B; C", "shows a plan and works it off", func(arg string) action {
			return func(_ context.Context, t *turn) error { t.plan(strings.Split(arg, ";")); return nil }
		}},
		{"usage", "IN OUT", "reports tokens", func(arg string) action {
			return numbers(arg, 2, func(_ context.Context, t *turn, n []int) error { t.use(n[0], n[1]); return nil })
		}},
		{"mode", "ID", "switches the session's mode: default, ask, auto", func(arg string) action {
			return func(_ context.Context, t *turn) error { return t.changeMode(arg) }
		}},
		{"title", "TEXT", "names the session", func(arg string) action {
			return func(_ context.Context, t *turn) error { t.name(arg); return nil }
		}},
		{"sleep", "DURATION", "does nothing for a while, like 1.5s", sleeps},
		{"refuse", "", "ends the turn as refused", ends(stopRefusal)},
		{"max-tokens", "", "ends the turn as cut off", ends(stopMaxTokens)},
		{"max-turns", "", "ends the turn as out of requests", ends(stopMaxTurns)},
		{"error", "CODE TEXT", "answers the prompt with a JSON-RPC error", fails},
		{"spam", "N", "sends N small pieces of text", func(arg string) action {
			return numbers(arg, 1, func(ctx context.Context, t *turn, n []int) error { return t.spam(ctx, n[0]) })
		}},
		{"line", "SIZE", "sends one piece of text of that many bytes, like 8MiB", lines},
		{"unknown-update", "", "sends an update of a kind that no one knows", func(string) action {
			return func(_ context.Context, t *turn) error { t.unknownUpdate(); return nil }
		}},
		{"stderr", "TEXT", "prints the text to stderr", func(arg string) action {
			return func(_ context.Context, t *turn) error { return t.complain(unescape(arg)) }
		}},
		{"child ignore-term", "[PATH]", "leaves a process that ignores SIGTERM and writes heartbeats to a file", children(true)},
		{"child", "[PATH]", "leaves a process that writes heartbeats to a file", children(false)},
		{"ignore-term", "", "ignores SIGTERM from now on", func(string) action { return ignoreTerm }},
		{"ignore-eof", "", "stays when stdin ends", func(string) action {
			return func(_ context.Context, t *turn) error { t.agent.staysAtEOF.Store(true); return nil }
		}},
		{"exit", "CODE", "exits at once, without an answer", exits},
		{"crash", "", "panics", func(string) action {
			return func(context.Context, *turn) error { panic("crash: the prompt said so") }
		}},
	}
}

// parse finds the instruction that a line is, if it is one.
func parse(line string) (action, bool) {
	line = strings.TrimSpace(line)
	for _, in := range instructions() {
		rest, ok := strings.CutPrefix(line, in.words)
		if !ok || rest != "" && (in.arg == "" || !strings.HasPrefix(rest, " ")) {
			continue
		}
		rest = strings.TrimSpace(rest)
		if optional := in.arg == "" || in.arg[0] == '['; rest == "" && !optional {
			continue
		}
		if do := in.make(rest); do != nil {
			return do, true
		}
	}
	return nil, false
}

// help is the answer to a prompt that has no instruction.
func help() string {
	var b strings.Builder
	b.WriteString("I am a demo agent without a model. I follow these instructions, one a line:\n\n")
	for _, in := range instructions() {
		b.WriteString("  " + strings.TrimSpace(in.words+" "+in.arg) + " - " + in.does + "\n")
	}
	b.WriteString("\nTry: write hello.txt: Hello from the demo agent")
	return b.String()
}

func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(s)
}
