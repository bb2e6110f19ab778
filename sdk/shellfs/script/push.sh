# FOLDER NAME TEMP END; stdin: a tar stream that was looked through, with a member
# END last. It is unpacked into a new folder, where no link of anybody's is, and
# moved into place from there.
need tar find mv mkdir rm stat
make "$1"
if [ "$2" != . ]; then
	if exists "./$2" && [ ! -d "./$2" ]; then
		fail $invalid "it is not a folder"
	fi
	[ -d "./$2" ] || mkdir -- "./$2" || [ -d "./$2" ] || exit 1
	enter "$2"
fi
target=$PWD
[ "$PWD" = / ] && target=
work=$target/$3
trap 'cd / && { rm -rf -- "$work" 2>/dev/null || { chmod -R u+rwx -- "$work"; rm -rf -- "$work"; }; }' EXIT
trap 'exit 1' HUP INT TERM
mkdir -m 700 -- "./$3" || exit 1
(cd -P "./$3" && tar -xpof -) || exit
[ -e "./$3/$4" ] || fail $torn "the stream was cut off"
rm -f -- "./$3/$4"

# merge moves what is in $work$1 into the folder $target$1, where we are.
merge() {
	for s in "$work$1"/* "$work$1"/.[!.]* "$work$1"/..?*; do
		n=${s##*/}
		if [ -d "$s" ] && [ ! -L "$s" ] && exists "./$n"; then
			(
				[ ! -L "./$n" ] || fail $invalid "$n is a link, which isn't followed"
				[ -d "./$n" ] || fail $conflict "$n exists and is not a folder"
				cd -P "./$n" || exit 1
				[ "$PWD" = "$target$1/$n" ] || fail $denied "$n was replaced"
				merge "$1/$n"
			) || exit
			rm -rf -- "$s" || exit 1 # it is empty by now
		fi
	done
	# A file in the place of a folder is refused by mv.
	find "$work$1/." ! -name . -prune -exec sh -c 'mv -f -- "$@" ./' sh {} + || exit 1
}
merge ''
