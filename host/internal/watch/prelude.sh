# The beginning of both scripts. $1 is the workspace, $2 the state folder.
set -fu
umask 077
root=$1 state=$2 diffs=$2/diffs index=

# Neither the workspace nor the state folder names a program, nor does a
# relative entry.
IFS=: path=
for p in $PATH; do
	case $p in "$root" | "$root"/* | "$state" | "$state"/*) ;; /*) path=$path:$p ;; esac
done
unset IFS
PATH=${path#:}
git=$(command -v git) || exit 91
PATH=$PATH:/usr/bin:/bin

# What the environment tells git isn't for these calls. Programs are started only
# where there may be something: a run waits for these scripts.
case $(export -p) in *GIT_*)
	for v in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$v"; done
	;;
esac
export PATH LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 \
	GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_TERMINAL_PROMPT=0

# make_folder makes a git folder with nothing in it that isn't ours, and the folder
# above it if $2 names that. The attributes there go before all others: bytes stay
# as they are.
make_folder() {
	mkdir ${2+"$2"} "$1" "$1/objects" "$1/objects/pack" "$1/objects/info" "$1/refs" "$1/info" &&
		echo 'ref: refs/heads/none' >"$1/HEAD" &&
		printf '[core]\n\trepositoryformatversion = 0\n' >"$1/config" &&
		echo '* -text !eol !crlf -ident !filter !working-tree-encoding !diff !merge !whitespace !export-subst' >"$1/info/attributes"
}

# run_git FOLDER ... runs git with that folder on the workspace.
run_git() {
	folder=$1
	shift
	HOME=$folder XDG_CONFIG_HOME=$folder GIT_DIR=$folder GIT_WORK_TREE=$root GIT_INDEX_FILE=${index:-$folder/index} \
		"$git" -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.untrackedCache=false \
		-c core.attributesFile=/dev/null -c core.excludesFile="$folder/excludes" \
		-c core.autocrlf=false -c core.safecrlf=false -c core.eol=lf -c core.quotePath=true \
		-c core.fileMode=true -c core.symlinks=true -c core.ignoreCase=false -c core.precomposeUnicode=false \
		-c core.protectNTFS=true -c core.protectHFS=true -c core.splitIndex=false \
		-c core.multiPackIndex=false -c core.commitGraph=false -c gc.auto=0 -c pack.threads=1 \
		-c core.fsync=none -c core.compression=1 "$@"
}

# find_omitted FOLDER LIMIT lists what is left out: nested repositories, files
# over LIMIT KiB, and the state folder where it is in the workspace. Names end
# with NUL.
find_omitted() {
	printf '.\0' >"$1/paths"
	inside=./.git
	case $state in "$root"/*)
		inside=./${state#"$root"/}
		printf ':(exclude,literal)%s\0' "${inside#./}" >>"$1/paths"
		;;
	esac
	add='for p; do p=${p#./}; p=${p%/.git}; printf "%s\0" "$p"; printf ":(exclude,literal)%s\0" "$p" >&3; done'
	find . \( -path ./.git -o -path "$inside" \) -prune -o -name .git -prune -exec sh -c "$add" sh {} + \
		-o -type f -size +"$2"k -exec sh -c "exec >&4; $add" sh {} + \
		>"$1/nested" 3>>"$1/paths" 4>"$1/large" 2>/dev/null
}

# add_all FOLDER writes the workspace into the folder's index and its content
# into one pack: ten thousand files of their own take three times as long. What
# it can't read is in errors then, and the status is 1: also for folders, which
# git itself only warns of. It complains of ignored files that paths excludes
# instead, as if somebody had asked for them.
add_all() {
	run_git "$1" -c core.bigFileThreshold=1 -c advice.addIgnoredFile=false add -A --ignore-errors \
		--pathspec-from-file="$1/paths" --pathspec-file-nul 2>"$1/complaints"
	status=$?
	if [ ! -s "$1/complaints" ]; then
		: >"$1/errors"
		return "$status"
	fi
	if [ "$status" = 1 ] && grep -q '^The following paths are ignored by ' "$1/complaints"; then
		grep -E '^(error|fatal|warning): ' "$1/complaints" >"$1/errors" || status=0
	else
		mv "$1/complaints" "$1/errors"
	fi
	[ "$status" = 0 ] && grep -q '^warning: could not open directory ' "$1/errors" && status=1
	return "$status"
}
