provider "cloud" "c" {
  retry {
    times = 1
  }
  retry {
    times = 2
  }
}
