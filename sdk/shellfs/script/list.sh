# FOLDER NAME FORMAT END
need stat find
at "$1" "$2"
[ -d "./$name" ] || {
	stat -L -- "./$name" >/dev/null || exit 1
	fail $invalid "it is not a folder"
}
enter "$name"
[ -r . ] || fail $denied "Permission denied"
# What goes away meanwhile isn't listed; END says that nothing is cut off.
find . ! -name . -prune -exec stat -c "$3" -- {} + 2>/dev/null
printf %s "$4"
