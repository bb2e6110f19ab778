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
type arguments struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	File        string `json:"file_path"`
	Notebook    string `json:"notebook_path"`
	URL         string `json:"url"`
	Query       string `json:"query"`
}

// subjectOf reads a call that is made in the folder dir.
func subjectOf(tool string, input json.RawMessage, dir string) subject {
	var in arguments
	lenient(input, &in)
	if tool == "" {
		tool = "tool"
	}
	s := subject{kind: harness.AskTool}
	said := in.Description
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		s.kind, s.target = harness.AskFileWrite, in.File
		if tool == "NotebookEdit" && in.Notebook != "" {
			s.target = in.Notebook
		}
		said = s.target
		s.target = from(dir, s.target)
	case "WebFetch":
		s.kind, s.target, said = harness.AskNetwork, host(in.URL), in.URL
	case "WebSearch":
		s.kind, s.target, said = harness.AskNetwork, "search: "+in.Query, in.Query // no rule for hosts may take it for one
	default:
		if in.Command != "" && !strings.HasPrefix(tool, "mcp__") { // Bash, PowerShell, Monitor
			s.kind, s.target = harness.AskCommand, in.Command
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
