# FOLDER NAME FORMAT END
need stat
at "$1" "$2"
stat -c "$3" -- "./$name" || exit 1
printf %s "$4"
