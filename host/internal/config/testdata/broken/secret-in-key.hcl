secret "A" { env = "A" }
workspace "w" {
  env = { "${secret.A}" = "x" }
}
