secret "A" { env = "A" }
workspace "w" {
  secrets = [secret.A, "x${secret.A}", "plain"]
}
