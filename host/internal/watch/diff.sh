# Prints what has changed since the baseline. $3 names its folder, $4 a new one;
# $5 is the limit of a file in KiB; $6, $7, $8 are the baseline's tree and the
# hashes of its index and excludes.
base=$diffs/$3 new=$diffs/$4
trap 'rm -rf "$new"' EXIT
[ -d "$base/objects" ] || exit 93
make_folder "$new" && make_folder "$new/checked" && cd "$root" || exit 94
printf '%s\n' "$base/objects" >"$new/objects/info/alternates"

# take NAME HASH copies a file of the baseline if it is what it was. Its time
# stays: by it git knows which files to look at again.
take() {
	[ -n "$(find "$base/$1" -type f -size -524288k 2>/dev/null)" ] &&
		cp -p "$base/$1" "$new/$1" && [ "$(run_git "$new" hash-object --no-filters -- "$new/$1")" = "$2" ]
}
take excludes "$8" || : >"$new/excludes"
take index "$7" || { rm -f "$new/index"; run_git "$new" read-tree "$6" || exit 93; }

find_omitted "$new" "$5"
add_all "$new"
case $status in 0 | 1) ;; *) cat "$new/errors" >&2; exit "$status" ;; esac
tree=$(run_git "$new" write-tree) || exit 93

# All that the patch is made of goes through a pack, which names each object by
# its content.
{
	echo "$6"
	echo "$tree"
	run_git "$new" diff-tree -r -t --no-renames --no-abbrev --ignore-submodules=all "$6" "$tree" |
		while read -r old now a b rest; do
			case $old in :160000 | :000000) ;; *) echo "$a" ;; esac
			case $now in 160000 | 000000) ;; *) echo "$b" ;; esac
		done
} >"$new/wanted"
if [ "$6" != "$tree" ]; then
	run_git "$new" pack-objects -q --window=0 --stdout <"$new/wanted" |
		run_git "$new/checked" index-pack --stdin >/dev/null || exit 93
fi

echo $status $(wc -c <"$new/errors") $(wc -c <"$new/nested") $(wc -c <"$new/large")
cat "$new/errors" "$new/nested" "$new/large"
[ "$6" = "$tree" ] && exit 0
run_git "$new/checked" diff-tree -r -M -l1000 --numstat -p --binary --full-index --no-color --no-ext-diff --no-textconv \
	--ignore-submodules=all --src-prefix=a/ --dst-prefix=b/ "$6" "$tree" || exit 93
