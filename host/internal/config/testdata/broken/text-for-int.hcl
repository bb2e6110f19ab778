provider "cloud" "c" {
  cpus = "two"
}
