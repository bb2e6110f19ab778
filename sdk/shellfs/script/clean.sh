# FOLDER NAME: removes what an interrupted script left
enter "$1"
rm -rf -- "./$2" 2>/dev/null || {
	chmod -R u+rwx -- "./$2" 2>/dev/null
	rm -rf -- "./$2"
}
