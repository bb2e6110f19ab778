# FOLDER NAME KEPT...: folders that must not go with it
need rm stat
at "$1" "$2"
path=${PWD%/}/$name
shift 2
for kept; do
	[ "$name" != . ] || fail $invalid "it is a folder that is served"
	case $kept/ in "$path"/*) fail $invalid "it is or holds a folder that is served" ;; esac
done
rm -rf -- "./$name" || exit 1
