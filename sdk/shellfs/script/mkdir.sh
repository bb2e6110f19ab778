# FOLDER NAME MODE
need mkdir stat
make "$1"
[ -d "./$2" ] && exit 0
exists "./$2" && fail $conflict "it exists and is not a folder"
mkdir -m "$3" -- "./$2" || { [ -d "./$2" ] && exit 0; exit 1; }
