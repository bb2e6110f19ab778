# Begins a command that has the token: alone TMP COMMON FORMAT ... It makes a git
# folder of our own that borrows the workspace's objects, and forgets what the
# environment says to git.
umask 077
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH
tmp=$1 common=$2 format=$3
shift 3
for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do
	case $name in
	GIT_CONFIG_COUNT | GIT_CONFIG_KEY_* | GIT_CONFIG_VALUE_* | GIT_CONFIG_NOSYSTEM | GIT_CONFIG_GLOBAL) ;;
	GIT_ALLOW_PROTOCOL | GIT_TERMINAL_PROMPT | GIT_SSL_CAINFO | GIT_SSL_CAPATH | GIT_SSH_COMMAND | GIT_SSH_VARIANT) ;;
	*) unset "$name" ;;
	esac
done
unset SSH_ASKPASS
HOME=$tmp XDG_CONFIG_HOME=$tmp
export PATH HOME XDG_CONFIG_HOME
trap 'exit 143' HUP INT TERM
rm -rf -- "$tmp"
git init --quiet --bare --template= --object-format="$format" --initial-branch=none -- "$tmp" || exit
mkdir -p -- "$tmp/objects/info" || exit
printf '%s\n' "$common/objects" >"$tmp/objects/info/alternates" || exit
if [ -f "$common/shallow" ]; then cp -- "$common/shallow" "$tmp/shallow" || exit; fi
cd -- "$tmp" || exit
