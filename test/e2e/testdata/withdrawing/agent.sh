#!/bin/sh
# A Claude Code without a model that puts one command to its host and withdraws
# that when the file "withdraw" is there, and ends when "go" is. Both, and what it
# was answered, are in $AGENT_STATE.
[ "$1" = --version ] && echo '2.1.332 (Claude Code)' && exit
wait_for() { while [ ! -e "$AGENT_STATE/$1" ]; do sleep 0.05; done; }

read -r _
echo '{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{}}}'
read -r _
echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.332"}'
echo '{"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback","callback_id":"tool","input":{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make it"},"tool_use_id":"t1"}}}'
wait_for withdraw
echo '{"type":"control_cancel_request","request_id":"h1"}'
wait_for go
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s1"}'
cat >"$AGENT_STATE/answers"
