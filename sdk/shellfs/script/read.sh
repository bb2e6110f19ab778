# FOLDER NAME OFFSET LIMIT FOLLOW: "ok" and a newline, then the content
need stat dd cat head
at "$1" "$2"
# Where not all is served, a link is followed as long as it stays inside.
hops=0
while [ -n "$r1" ] && [ -L "./$name" ]; do
	hops=$((hops + 1))
	[ $hops -lt 40 ] || fail $invalid "too many levels of symbolic links"
	link=$(readlink "./$name" && echo .) || exit 1
	link=${link%??} # the newline and the dot, which kept those of the name
	case $link in */*) enter "${link%/*}/" ;; esac
	name=${link##*/}
done
tries=0
while :; do
	[ -f "./$name" ] || { # which follows a link where all is served
		stat -L -- "./$name" >/dev/null || exit 1
		fail $invalid "it is not a regular file"
	}
	[ -r "./$name" ] || fail $denied "Permission denied"
	exec <"./$name" || exit 1
	# Has somebody put a link there meanwhile? A write that replaces the file looks
	# alike for a moment, so it is tried again.
	[ -z "$r1" ] && break
	[ "./$name" -ef /proc/self/fd/0 ] && [ ! -L "./$name" ] && break
	tries=$((tries + 1))
	[ $tries -lt 100 ] || fail $denied "it is replaced all the time"
done
echo ok
if [ "$3" -gt 0 ]; then # seeks; a byte at a time for the rest alone
	dd bs=65536 skip=$(($3 / 65536)) count=0 >/dev/null 2>&1
	dd bs=1 skip=$(($3 % 65536)) count=0 >/dev/null 2>&1
fi
if [ -z "$5" ]; then
	if [ "$4" -gt 0 ]; then exec head -c "$4"; else exec cat; fi
fi
while :; do
	links=1 # looked at before the last read
	[ "./$name" -ef /proc/self/fd/0 ] || links=$(stat -L -c %h /proc/self/fd/0 2>/dev/null)
	case $links in '') exists "./$name" || links=0 ;; esac
	cat || exit 1
	[ "$links" != 0 ] || exit 0
	sleep 0.02 2>/dev/null || sleep 1
done
