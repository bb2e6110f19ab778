# The agent: it does what the lines of the file $1 say, asks before it runs a
# command, and reads the answers on stdin. At the end it waits there for more, as
# an agent does that serves a connection. For POSIX shells.
#
#   TEXT         say TEXT
#   run COMMAND  ask, then run the command
#   fail WORD    tell of a failure, and exit with 0 as if there were none
#   crash        exit with 3
exec 3<"$1"
asked=0
while IFS= read -r line <&3 || [ -n "$line" ]; do
	case $line in
	"run "*)
		asked=$((asked + 1)) command=${line#run }
		printf '{"ask":"%s","command":"%s"}\n' "$asked" "$command"
		IFS= read -r answer || exit 0
		case $answer in
		*'"allow":true'*) printf '{"ran":"%s","output":"%s"}\n' "$command" "$($command 2>&1)" ;;
		*) echo '{"say":"Then I leave that."}' ;;
		esac
		;;
	"fail "*) printf '{"error":"%s"}\n' "${line#fail }" && exit 0 ;;
	crash) echo "out of ideas" >&2 && exit 3 ;;
	*) printf '{"say":"%s"}\n' "$line" ;;
	esac
done
echo '{"done":true}'
cat >/dev/null
