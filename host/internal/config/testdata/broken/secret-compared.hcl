secret "A" { env = "A" }
workspace "w" {
  env = { B = secret.A == "x" ? "yes" : "no" }
}
