# Claude Code as the harness sees it, with nothing behind it: it does what its
# first argument says, in shell, with these words. What the harness adds to its
# command line isn't read.
#
#   greet        wait to be initialized and for the prompt, and begin
#   begin        begin, for one that isn't fed
#   say TEXT     an answer of the model
#   call COMMAND a call of Bash; returned ends it
#   beat         a sign of life while a tool works
#   half         half a message
#   result       the result
#   await        wait for the end of stdin
#   hang         wait for ever
PATH=/usr/bin:/bin
if [ "$2" = --version ]; then
	echo '2.1.332 (Claude Code)'
	exit
fi
begin() { echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.332"}'; }
greet() {
	IFS= read -r _ || exit 9
	echo '{"type":"control_response","response":{"subtype":"success","request_id":"initialize"}}'
	IFS= read -r _ || exit 9
	begin
}
say() { printf '{"type":"assistant","session_id":"s1","message":{"id":"m-%s","content":[{"type":"text","text":"%s"}]}}\n' "$1" "$1"; }
call() { printf '{"type":"assistant","session_id":"s1","message":{"id":"m2","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"%s"}}]}}\n' "$1"; }
returned() { echo '{"type":"user","session_id":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}}'; }
beat() { echo '{"type":"tool_progress","tool_use_id":"t1","tool_name":"Bash","heartbeat":true}'; }
half() { printf '{"type":"assistant","session_id":"s1","message":{"id":"m3","content":[{"type":"te'; }
result() { echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s1","total_cost_usd":0.25,"usage":{"input_tokens":3,"output_tokens":4}}'; }
await() { while IFS= read -r _; do :; done; }
hang() { sleep 3600 </dev/null; }
eval "$1"
