# The agent: it reads the prompt on stdin and does what its lines say. Lines
# that don't start with a known word are ignored. For POSIX shells; `child` needs
# setsid, `lines` and `long` need awk.
#
#   say TEXT        print TEXT
#   json TEXT       print {"text":"TEXT"}; TEXT is put in as it is
#   lines N         print N lines
#   long N          print one line of N bytes
#   binary          print bytes that are no text
#   stderr TEXT     print TEXT on stderr
#   append FILE     add a line with our process id to FILE: a second start shows
#   cwd             print the working directory
#   env NAME        print an environment variable
#   sleep S         wait S seconds
#   await FILE      wait until FILE exists
#   heartbeat FILE  add a dot to FILE every 20 ms, for ever
#   child FILE      leave a background process in a session of its own behind, that does so
#   ignore-term     ignore TERM, HUP and INT from here on
#   kill-self SIG   send SIG, a name or a number, to ourselves
#   run COMMAND     run a command of the shell
#   exit N          exit with code N

beat='while :; do printf . >>"$0" || exit; sleep 0.02; done'

while IFS= read -r line || [ -n "$line" ]; do
	rest=
	case $line in *' '*) rest=${line#* } ;; esac
	case ${line%% *} in
	say) printf '%s\n' "$rest" ;;
	json) printf '{"text":"%s"}\n' "$rest" ;;
	lines) awk -v n="$rest" 'BEGIN { for (i = 1; i <= n; i++) print "line " i }' </dev/null ;;
	long) awk -v n="$rest" 'BEGIN { s = "x"; while (length(s) * 2 <= n) s = s s; printf "%s%s\n", s, substr(s, 1, n - length(s)) }' </dev/null ;;
	binary) printf '\377\376\000\200\n' ;;
	stderr) printf '%s\n' "$rest" >&2 ;;
	append) printf 'start %s\n' "$$" >>"$rest" ;;
	cwd) pwd ;;
	env) eval "printf '%s\n' \"\$$rest\"" ;;
	sleep) sleep "$rest" </dev/null ;;
	await) until [ -e "$rest" ]; do sleep 0.02; done ;;
	heartbeat) sh -c "$beat" "$rest" </dev/null ;;
	child)
		setsid sh -c "$beat" "$rest" </dev/null >/dev/null 2>&1 &
		until [ -s "$rest" ] || ! kill -0 "$!" 2>/dev/null; do sleep 0.02; done # it has left our session
		;;
	ignore-term) trap '' TERM HUP INT ;;
	kill-self) kill "-$rest" "$$" ;;
	run) eval "$rest" ;;
	exit) exit "$rest" ;;
	esac
done
