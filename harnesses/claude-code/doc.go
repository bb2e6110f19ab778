// Command sandlot-harness-claude-code drives Claude Code: it reads what `claude
// -p --output-format stream-json` prints and turns it into AG-UI events.
//
// A policy that allows everything needs no conversation: the CLI gets its prompt
// as a file and its output is all there is. Else, and where a schema is given,
// the CLI is fed while it runs, by its own control protocol. A hook then gets
// each tool call before it is made and asks the host. Tools that only read, or
// only organise the agent's work, are allowed without asking; [quiet] lists them.
//
// Subagents are told like the agent; the START of their messages and tool calls
// names the call that started them.
//
// These go out as RAW events, with their JSON as it came: lines of a type, and
// system lines of a subtype, that is unknown; system lines permission_denied and
// compact_boundary; content blocks that are neither text, thinking, tool_use nor
// tool_result. Signs of progress are ignored: system lines status,
// thinking_tokens, ui_invalidate, task_*, background_tasks_changed, and lines
// tool_progress and keep_alive.
//
// Not covered: images, more than one prompt in a session. Nobody
// imports it.
package main
