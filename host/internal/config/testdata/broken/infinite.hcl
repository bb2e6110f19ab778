provider "cloud" "c" {
  load = 1 / 0
}
