workspace "a" {
  env = 3
}
