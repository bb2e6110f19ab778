// Command sandlot-demo-agent is a small, real ACP agent without a model. It
// speaks the Agent Client Protocol (version 1, one JSON-RPC message a line) on
// stdin and stdout and does what the lines of its prompt say: it edits files,
// runs commands, asks for permission, and misbehaves on request. `make demo`
// runs it, and the end-to-end tests use it where a model would be too slow, too
// dear or too vague.
//
// Each prompt line that starts with a known word is an instruction (see
// instructions.go; a prompt without one is answered with the list); every other
// line is ignored, so instructions may stand inside ordinary prose. So is all
// before a line "[user, now]": a conversation that was carried over.
//
// It is one program of its own and imports nothing of Sandlot. Environment:
//
//	DEMO_AGENT_HOME          folder in which sessions are kept; without it they
//	                         end with the process and session/load is unknown
//	DEMO_AGENT_REQUIRE_AUTH  if set, session/new needs `authenticate` before
package main
