secret "A" { env = "A" }
workspace "w" {
  env = { B = format("%s%.3s", secret.A, secret.A) }
}
