# FOLDER NAME MODE
need chmod stat
at "$1" "$2"
exists "./$name" || { stat -- "./$name" >/dev/null; exit 1; }
if [ -n "$r1" ] && [ -L "./$name" ]; then
	fail $invalid "it is a link, which has no permission bits"
fi
chmod "$3" -- "./$name" || exit 1
