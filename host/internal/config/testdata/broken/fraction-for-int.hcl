provider "cloud" "c" {
  cpus = 1.5
}
