package main

import (
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// The system prompts, as files in the run's own folder: arguments could be read
// by every process of the machine.
const (
	fileSystem = "system-prompt.txt"
	fileAppend = "append-system-prompt.txt"
)

// fileShell is what the CLI's shell reads before each command. The CLI loads the
// aliases of the user's ~/.bashrc and has them expanded: with them a command would
// be another one than the policy has read.
const (
	fileShell = "shell.sh"
	noAliases = "unalias -a\nshopt -u expand_aliases\n"
)

// needsGate tells whether tool calls must be put to the host: all but a policy
// that allows everything.
func needsGate(p harness.Policy) bool {
	return p.Default != "allow" || (p.FileWrite != "allow" && p.FileWrite != "") ||
		len(p.Ask) > 0 || len(p.Deny) > 0 || (p.Network != "allow" && p.Network != "")
}

// begin starts the CLI and, where it is fed, greets it.
func (t *turn) begin() {
	start := t.s.Start()
	if files := t.files(); len(files) > 0 {
		t.s.Provision(harness.Provision{Files: files})
	}
	l := harness.Launch{
		Argv: t.argv(), Env: t.env(), Dir: start.Workspace.Root,
		Stdin: harness.StdinPrompt, Prompt: []byte(promptOf(start)),
		Programs: []harness.Program{{Name: t.config.command()[0], Install: install, Version: t.leastVersion()}},
	}
	if t.duplex {
		l.Stdin, l.Prompt = harness.StdinDuplex, nil
	}
	t.s.Launch(l)
	t.stdin.initialize(t.gate.on, start.Schema)
}

func (t *turn) files() []harness.File {
	var out []harness.File
	if text := t.config.SystemPrompt; text != "" {
		out = append(out, harness.File{Path: fileSystem, Data: []byte(text)})
	}
	if text := t.config.AppendSystemPrompt; text != "" {
		out = append(out, harness.File{Path: fileAppend, Data: []byte(text)})
	}
	if t.gate.on {
		out = append(out, harness.File{Path: fileShell, Data: []byte(noAliases)})
	}
	if t.servers.file != nil {
		out = append(out, harness.File{Path: fileMCP, Data: t.servers.file})
	}
	return out
}

// argv holds no prompt and no schema. Nothing may stand behind a flag that takes
// several values but the next flag, and -p would take a word for the prompt.
func (t *turn) argv() []string {
	start, c := t.s.Start(), t.config
	argv := append([]string{}, c.command()...)
	argv = append(argv, "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages")
	if t.duplex {
		argv = append(argv, "--input-format", "stream-json")
	}
	option := func(name, value string) {
		if value != "" {
			argv = append(argv, name+"="+value)
		}
	}
	option("--resume", start.Session)
	option("--model", start.Model)
	option("--effort", c.Effort)
	if c.MaxTurns > 0 {
		option("--max-turns", strconv.Itoa(c.MaxTurns))
	}
	if c.SystemPrompt != "" {
		option("--system-prompt-file", path.Join(start.Workspace.StateDir, fileSystem))
	}
	if c.AppendSystemPrompt != "" {
		option("--append-system-prompt-file", path.Join(start.Workspace.StateDir, fileAppend))
	}
	if t.servers.file != nil {
		option("--mcp-config", path.Join(start.Workspace.StateDir, fileMCP))
	}
	for _, dir := range c.AddDirs {
		option("--add-dir", dir)
	}
	return append(argv, t.permissions()...)
}

// permissions are the flags that say who decides about tool calls. The mode is
// always given, so that no settings file sets another. Where our hook decides,
// the CLI's own rules still deny what is denied.
func (t *turn) permissions() []string {
	if t.gate.on {
		argv := append([]string{"--permission-mode", t.mode(), "--permission-prompt-tool", "stdio"}, noHooks()...)
		argv = append(argv, "--disallowedTools", "AskUserQuestion")
		return append(argv, nativeDenials(t.s.Start().Policy.Deny)...)
	}
	if t.isolated() {
		return []string{"--permission-mode", t.mode()}
	}
	argv := append([]string{"--permission-mode", t.mode(), "--allowedTools"}, everyTool()...)
	return append(argv, mcpTools(t.s.Start().MCP)...)
}

// mode is the CLI's permission mode.
func (t *turn) mode() string {
	if !t.gate.on && t.isolated() {
		return "bypassPermissions"
	}
	return "default"
}

// otherMode says that the CLI is in another mode than it was told to be in; empty: it
// isn't, or it didn't say.
func (t *turn) otherMode(mode string) string {
	if mode == "" || mode == t.mode() {
		return ""
	}
	return fmt.Sprintf("Claude Code works in permission mode %s, though it was told %s: something else sets it, such as settings that your organisation manages, "+
		"so it may refuse what the policy allows, or not ask about it", mode, t.mode())
}

// noHooks keep settings files, skills and the workspace's .mcp.json from
// starting commands that no policy decides: without a terminal the CLI runs
// those of a repository that nobody has said to trust. Our own hook stays.
func noHooks() []string {
	return []string{"--settings", `{"disableAllHooks":true,"disableSkillShellExecution":true}`, "--strict-mcp-config"}
}

func (t *turn) isolated() bool {
	i := t.s.Start().Isolation
	return i != sandbox.IsolationNone && i != ""
}

// everyTool are the tools that the CLI would ask about, reading outside of the
// workspace included. On a machine that isn't isolated they are allowed one by
// one: as root the CLI refuses to bypass its permissions there. It then still
// refuses to write into .git and .claude.
func everyTool() []string {
	return []string{
		"Read", "Glob", "Grep", "Bash", "PowerShell", "Monitor", "Edit", "MultiEdit", "Write", "NotebookEdit",
		"WebFetch", "WebSearch", "Agent", "Task", "Skill", "SlashCommand", "Workflow",
		"EnterWorktree", "ExitWorktree", "CronCreate", "CronDelete", "ScheduleWakeup", "SendMessage",
	}
}

// nativeDenials are rules of the CLI for rules of the policy, so that a call
// would be denied even if the hook were not asked. Rules with parentheses or
// line breaks have no form there; the hook decides them alone.
func nativeDenials(rules []string) []string {
	var out []string
	for _, rule := range rules {
		if rule == "" || strings.ContainsAny(rule, "()\n\r") {
			continue
		}
		out = append(out, "Bash("+rule+")")
		if !strings.HasSuffix(rule, "*") {
			out = append(out, "Bash("+rule+" *)")
		}
	}
	return out
}

// maxRetries bounds how often the CLI asks a failing model API again: by default
// it does for minutes. With 4 it gives up after some 10 seconds.
const maxRetries = "4"

func (t *turn) env() map[string]string {
	env := map[string]string{
		"DISABLE_AUTOUPDATER":                      "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"CLAUDE_CODE_MAX_RETRIES":                  maxRetries,
	}
	if t.isolated() {
		env["IS_SANDBOX"] = "1" // else the CLI refuses to bypass permissions as root
	}
	if t.gate.on {
		// The policy reads commands as bash does. By itself the CLI prefers the
		// user's shell, and then zsh, in which other words start programs.
		env["CLAUDE_CODE_SHELL"] = "bash"
		env["CLAUDE_ENV_FILE"] = path.Join(t.s.Start().Workspace.StateDir, fileShell)
		// Else a repository's settings file could set any variable, and so run
		// what it likes by a command that is allowed: PATH, LD_PRELOAD, the shell.
		env["CLAUDE_CODE_IGNORE_PERSISTED_TRUST"] = "1"
	}
	if t.s.Start().AuthMode != authHost {
		// Else a repository's settings file could name a server that gets the
		// key, or a command that makes one. It also keeps the CLI from the login.
		env["CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"] = "1"
	}
	maps.Copy(env, t.config.Env)
	maps.Copy(env, t.servers.env)
	return env
}
