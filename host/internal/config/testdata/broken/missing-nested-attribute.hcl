provider "cloud" "c" {
  volume "tmp" {
    target = "/a"
  }
  volume "tmp" {}
}
