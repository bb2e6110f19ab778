workspace "w" {
  env = { "A-B" = "x" }
}
