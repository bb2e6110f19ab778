# Says what there is in the workspace, a line each; then of every argument the
# object and the whole name, or "-".
command -v git >/dev/null 2>&1 || { echo "no git"; exit 0; }
# Git would wait at a pipe for ever. One that an agent makes later isn't seen.
pipe=$(for name in .git .gitignore .gitattributes .gitmodules; do printf '%s\n' "$name"; done
	command -v find >/dev/null 2>&1 && find .git/ \( -type p -o -type l \) -print 2>/dev/null)
pipe=$(printf '%s\n' "$pipe" | while IFS= read -r name; do [ -p "$name" ] && { printf '%s\n' "$name"; break; }; done)
[ -z "$pipe" ] || { echo "pipe $pipe"; exit 0; }
if ! why=$(git rev-parse --git-dir 2>&1); then
	echo "no repository $(printf %s "$why" | tr '\n' ' ')"
	exit 0
fi
common=$(cd -- "$(git rev-parse --git-common-dir)" && pwd -P) || exit 1
echo "common $common"
echo "root $(pwd -P)"
echo "format $(git rev-parse --show-object-format 2>/dev/null || echo sha1)"
echo "branch $(git symbolic-ref --quiet HEAD || echo -)"
echo "head $(git rev-parse --verify --quiet HEAD || echo -)"
branch=$(git symbolic-ref --quiet --short HEAD)
echo "upstream $(git config --get "branch.$branch.merge" || echo -)"
echo "origin $(git config --get remote.origin.url || echo -)"
git -c user.useConfigOnly=true var GIT_COMMITTER_IDENT >/dev/null 2>&1 && echo "identity there"
for ref; do
	object=$(git rev-parse --verify --quiet --end-of-options "$ref") || object=-
	name=$(git rev-parse --symbolic-full-name --verify --quiet --end-of-options "$ref" | tail -n 1)
	echo "ref $object ${name:--}"
done
exit 0
