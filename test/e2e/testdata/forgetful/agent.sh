#!/bin/sh
# A Claude Code without a model. Below $AGENT_STATE it keeps what it was told at
# each start (prompt.1, args.1, ...) and the sessions that it knows (session.ID).
# What stands in "mood" makes it misbehave.
[ "$1" = --version ] && echo '2.1.332 (Claude Code)' && exit
cd "$AGENT_STATE" || exit 9
n=1
while ! mkdir "start.$n" 2>/dev/null; do n=$((n + 1)); done
session=
for a; do
	echo "$a" >>"args.$n"
	case $a in --resume=*) session=${a#--resume=} ;; esac
done
cat >"prompt.$n"
mood=$(cat mood 2>/dev/null)

init() {
	echo '{"type":"system","subtype":"init","session_id":"'"$session"'","claude_code_version":"2.1.332"}'
}
unknown() {
	echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: '"$session"'"]}'
	exit 1
}
say() {
	echo '{"type":"assistant","message":{"id":"m'"$n"'","content":[{"type":"text","text":"'"$1"'"}]}}'
}

case $mood in
never) unknown ;;
worked)
	init
	say "begun"
	unknown
	;;
greets) init ;; # before it looks for the session
esac
[ -z "$session" ] || [ -e "session.$session" ] || unknown
session=${session:-s$n}
>"session.$session"
init
say "answer $n"
echo '{"type":"result","subtype":"success","is_error":false,"result":"answer '"$n"'"}'
