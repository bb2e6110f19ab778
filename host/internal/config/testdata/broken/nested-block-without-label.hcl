provider "cloud" "c" {
  volume { target = "/a" }
}
