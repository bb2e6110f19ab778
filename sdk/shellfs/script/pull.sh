# FOLDER NAME: a tar stream
need tar stat
at "$1" "$2"
exists "./$name" || { stat -- "./$name" >/dev/null; exit 1; }
hard=
tar --hard-dereference --version >/dev/null 2>&1 && hard=--hard-dereference
if [ -L "./$name" ] || [ -f "./$name" ]; then
	exec tar $hard -cf - -- "./$name"
fi
[ -d "./$name" ] || fail $invalid "it is neither a file nor a folder"
enter "$name"
exec tar $hard -cf - .
