# FOLDER NAME FOLDER NAME
need mv stat
at "$1" "$2"
[ "$name" != . ] || fail $invalid "a folder that is served can't be renamed"
exists "./$name" || { stat -- "./$name" >/dev/null; exit 1; }
old=$name from=$PWD
source=${from%/}/$old
if [ -r . ] && [ -e /proc/self/fd/0 ]; then # the folder itself, whatever becomes of its name
	exec 3<. && source=/proc/self/fd/3/$old
fi
folder=
[ -d "./$old" ] && [ ! -L "./$old" ] && folder=1
at "$3" "$4"
[ "$name" != . ] || fail $invalid "a folder that is served can't be replaced"
[ "$from/$old" != "$PWD/$name" ] || exit 0
if [ -d "./$name" ] && [ ! -L "./$name" ]; then
	[ -n "$folder" ] || fail $invalid "the new name is that of a folder"
elif [ -n "$folder" ] && exists "./$name"; then
	fail $conflict "a folder can't replace what is none"
fi
mv -fT -- "$source" "./$name" || exit 1
