secret "A" { env = "A" }
workspace "w" {
  env = {
    B = "x"
    C = upper(secret.A)
  }
}
