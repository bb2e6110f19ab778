# Runs the agent with its output appended to the journal, and leaves its exit
# code there. For dash, bash and BusyBox.
# usage: sh -c THIS sandlot FOLDER none|prompt|duplex PROGRAM [ARGUMENT...]
journal=$1 input=$2
shift 2
mask=$(umask)
umask 077
# The agent's PATH is the agent's; ours has what every system has.
own() (PATH=/usr/bin:/bin:$PATH && "$@")
if ! own mkdir "$journal/started" 2>/dev/null; then
	if [ -d "$journal/started" ]; then
		echo "another wrapper has the run in $journal" >&2
		exit 124
	fi
	echo "cannot write the journal in $journal" >&2
	exit 125
fi
if ! { : >>"$journal/out" && : >>"$journal/err"; }; then
	echo "cannot write the journal in $journal" >&2
	exit 125
fi
umask "$mask"
case $input in
none) "$@" </dev/null >>"$journal/out" 2>>"$journal/err" ;;
prompt) "$@" <"$journal/in" >>"$journal/out" 2>>"$journal/err" ;;
*) "$@" >>"$journal/out" 2>>"$journal/err" ;;
esac
code=$?
umask 077
# What the agent has put in their place: a folder would swallow the file, a pipe
# would hold us for ever.
own rm -rf "$journal/exit.tmp" "$journal/exit"
# A disk that is full now may have cut what the agent printed: only a journal that
# can still grow is whole, and has an exit file.
{
	own dd if=/dev/zero of="$journal/exit.tmp" bs=65536 count=1 2>/dev/null &&
		echo "$code" >"$journal/exit.tmp" && own mv "$journal/exit.tmp" "$journal/exit"
} || echo "cannot write the journal in $journal to its end" >&2
exit "$code"
