# FOLDER NAME MODE TEMP; stdin: a length and a newline before each piece of the
# content, then "end": without that, it was cut off.
need stat dd mv chmod rm
make "$1"
name=$2 temp=./$4
if [ "$name" = . ] || [ -d "./$name" ] && [ ! -L "./$name" ]; then
	fail $invalid "it is a folder"
fi
mode=$3
if [ "$mode" = keep ]; then
	mode=644
	if [ -f "./$name" ] && [ ! -L "./$name" ]; then
		mode=$(stat -c %a -- "./$name") || exit 1
		case $mode in ????) mode=${mode#?} ;; esac # no set-id bits
	fi
fi
trap 'rm -f -- "$temp"' EXIT
trap 'exit 1' HUP INT TERM
umask 077
set -C # never through what stands there
exec 4>"$temp" || exit 1
set +C
while :; do
	IFS= read -r n || fail $torn "the content was cut off"
	case $n in
	end) break ;;
	'' | *[!0-9]*) fail $torn "the content was given up" ;;
	esac
	dd bs="$n" count=1 iflag=fullblock status=none >&4 || exit 1
done
exec 4>&-
chmod "$mode" -- "$temp" || exit 1
mv -fT -- "$temp" "./$name" || exit 1
