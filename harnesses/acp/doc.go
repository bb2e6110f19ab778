// Command sandlot-harness-acp drives any agent that speaks the Agent Client
// Protocol, version 1: JSON-RPC messages, one a line, on stdin and stdout. The
// configuration names the agent's command.
//
// It reads lines, keeps a small state machine (initialize, authenticate, open a
// session, set mode and model, prompt) and turns the agent's updates into AG-UI
// events. Only lines and the exit make events, so a run can be replayed.
//
// These go out as RAW events, with their JSON as it came: updates of an unknown
// kind, and message content that isn't text. Notifications of vendors, under
// names of their own, are ignored.
//
// It isn't an ACP client for editors: it offers no file system and no terminal,
// so agents use their own. Nobody imports it.
package main
