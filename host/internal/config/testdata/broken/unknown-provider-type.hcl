provider "clod" "c" {}
