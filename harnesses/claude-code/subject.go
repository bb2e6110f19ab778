package main

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// quiet tells of tools that only read, or only organise the agent's own work.
// They are allowed without asking: what a subagent does in turn is asked. A message
// is none of them: it also reaches the user's other sessions, which may do more.
func quiet(tool string) bool {
	switch tool {
	case "Read", "Glob", "Grep", "LS", "NotebookRead", "ListMcpResourcesTool", "ReadMcpResourceTool",
		"TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
		"Agent", "Task", "TaskOutput", "TaskStop", "AgentOutputTool", "ListAgents",
		"BashOutput", "KillBash", "KillShell",
		"ToolSearch", "Skill", "SlashCommand", "EnterPlanMode", "ExitPlanMode", "ReportFindings", "StructuredOutput":
		return true
	}
	return false
}

// subject is a tool call in the words of a policy.
type subject struct {
	kind          harness.AskKind
	target, title string
}

// arguments are those of built-in tools that say what a call is about.
type arguments struct{ command, description, file, notebook, url, query string }

// argumentsOf reads them by their exact names, as the CLI does: a decoder that takes
// FILE_PATH for file_path would decide about another file.
func argumentsOf(input json.RawMessage) arguments {
	var members map[string]json.RawMessage
	lenient(input, &members)
	text := func(name string) (s string) {
		lenient(members[name], &s)
		return s
	}
	return arguments{text("command"), text("description"), text("file_path"), text("notebook_path"), text("url"), text("query")}
}

// subjectOf reads a call that is made in the folder dir.
func subjectOf(tool string, input json.RawMessage, dir string) subject {
	in := argumentsOf(input)
	if tool == "" {
		tool = "tool"
	}
	s := subject{kind: harness.AskTool}
	said := in.description
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		s.kind, s.target = harness.AskFileWrite, in.file
		if tool == "NotebookEdit" && in.notebook != "" {
			s.target = in.notebook
		}
		said = s.target
		s.target = from(dir, s.target)
	case "WebFetch":
		s.kind, s.target, said = harness.AskNetwork, host(in.url), in.url
	case "WebSearch":
		s.kind, s.target, said = harness.AskNetwork, "search: "+in.query, in.query // no rule for hosts may take it for one
	default:
		if in.command != "" && !strings.HasPrefix(tool, "mcp__") { // Bash, PowerShell, Monitor
			s.kind, s.target = harness.AskCommand, in.command
		}
	}
	if s.kind == harness.AskTool {
		s.target, said = tool, excerpt([]byte(compact(input)))
	}
	if s.target == "" {
		s.target = tool
	}
	if said == "" {
		said = s.target
	}
	s.title = tool + ": " + strings.Join(strings.Fields(said), " ")
	return s
}

// from is the absolute path of a file. One that begins with ~ or a blank stays as it
// is: the CLI reads it otherwise than it looks.
func from(dir, file string) string {
	if file == "" || file[0] == '~' || strings.TrimSpace(file) != file || path.IsAbs(file) || !path.IsAbs(dir) {
		return file
	}
	return dir + "/" + file
}

// host is the host of an address, with its port if it has one.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Host
}
