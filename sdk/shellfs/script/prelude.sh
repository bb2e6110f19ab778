# Shared by all scripts, and put before each. $1 to $3 are the served folders, or
# empty where all of the file system is. For any POSIX shell; programs are those
# that coreutils and BusyBox both have. Every path is reached by entering its
# folder first: the working directory stays the same folder, whatever becomes of
# its name, and it can be looked at before anything is done.
export LC_ALL=C TZ=UTC0 QUOTING_STYLE=literal
unset CDPATH
umask 022
r1=$1 r2=$2 r3=$3
shift 3

# The exit codes say a class; any other is that of a program, told by its words.
torn=40 denied=42 invalid=43 conflict=44 unsupported=45

fail() { # CODE TEXT
	printf '%s\n' "$2" >&2
	exit "$1"
}

need() { # PROGRAM...
	for p; do
		command -v "$p" >/dev/null 2>&1 || fail $unsupported "the sandbox has no program $p"
	done
}

# why lets the system say why a path can't be used, and ends.
why() { # PATH
	stat -- "$1" >/dev/null || exit 1
	fail $denied "$1: Permission denied"
}

exists() { [ -e "$1" ] || [ -L "$1" ]; }

within() { # FOLDER: is the working directory in it?
	case $PWD in "$1" | "${1%/}"/*) return 0 ;; esac
	return 1
}

inside() {
	[ -z "$r1" ] || within "$r1" || within "$r2" || within "$r3" || fail $denied "it leads out of what is served"
}

# enter goes to a folder, by links too, as long as it is served.
enter() { # PATH: absolute, or relative to the working directory
	to=$1
	case $to in /*) ;; *) to=./$to ;; esac
	if [ ${#to} -lt 3000 ]; then
		cd -P -- "$to" 2>/dev/null || why "$to/."
	else # longer than the system takes at once
		case $to in /*) cd / ;; esac
		each "$to" step
	fi
	inside
}

step() { cd -P "./$1" 2>/dev/null || why "./$1/."; }

# each calls a function with each element of a path.
each() { # PATH FUNCTION
	rest=$1/
	while [ -n "$rest" ]; do
		part=${rest%%/*} rest=${rest#*/}
		[ -z "$part" ] || "$2" "$part"
	done
}

# at goes to the folder of an entry and puts the entry's name into $name. That is
# "." for a served folder itself, and for / .
at() { # FOLDER NAME
	enter "$1"
	name=$2
	if [ "$name" = . ] && [ "$PWD" != / ] && [ "$PWD" != "$r1" ] && [ "$PWD" != "$r2" ] && [ "$PWD" != "$r3" ]; then
		name=${PWD##*/}
		cd -P ..
		inside
	fi
}

# make is enter that makes what is missing.
make() { # PATH: absolute
	if [ ${#1} -lt 3000 ] && cd -P -- "$1" 2>/dev/null; then
		inside
		return
	fi
	start=/
	for r in "$r1" "$r2" "$r3"; do
		case $1 in "$r"/*) start=${r:-/} ;; esac
	done
	cd -P -- "$start" 2>/dev/null || why "$start/."
	inside
	each "${1#"${start%/}"}" grow
}

grow() {
	cd -P "./$1" 2>/dev/null || {
		mkdir -- "./$1" 2>/dev/null # somebody else may have been faster
		cd -P "./$1" 2>/dev/null || {
			mkdir -- "./$1" # which says why
			exit 1
		}
	}
	inside
}
