# Writes the workspace's tree. $3 names the folder, $4 is the limit of a file in
# KiB. Prints one line: tree, hashes of index and excludes; then the nested
# repositories.
new=$diffs/$3
if [ -e "$diffs" ] || [ -h "$diffs" ]; then rm -rf "$diffs"; fi
make_folder "$new" "$diffs" && cd "$root" || exit 94
: >"$new/excludes"

# What its git repository has packed already needn't be written again. A link
# keeps it, whatever becomes of the repository.
if [ -d .git ] && [ ! -h .git ]; then
	cp .git/info/exclude "$new/excludes" 2>/dev/null
	if ! grep -qi 'objectformat *= *sha256' .git/config 2>/dev/null; then
		find .git/objects/pack -type f \( -name 'pack-*.pack' -o -name 'pack-*.idx' \) \
			-exec sh -c 'd=$1; shift; for p; do ln "$p" "$d" || exit; done' sh "$new/objects/pack" {} + 2>/dev/null
	fi
fi
find_omitted "$new" "$4"
add_all "$new"
case $status in 0 | 1) ;; *) cat "$new/errors" >&2; exit "$status" ;; esac

# A repository may track what its rules ignore.
if [ -f .git/index ] && [ ! -h .git/index ]; then
	index=$root/.git/index
	run_git "$new" ls-files -z -ci --exclude-standard >"$new/tracked" 2>/dev/null
	index=
	[ -s "$new/tracked" ] && run_git "$new" update-index -z --add --remove --stdin <"$new/tracked" 2>/dev/null
fi
tree=$(run_git "$new" write-tree) || exit 94
hashes=$(run_git "$new" hash-object --no-filters -- "$new/index" "$new/excludes") || exit 94
echo $tree $hashes
if [ -s "$new/nested" ]; then cat "$new/nested"; fi
