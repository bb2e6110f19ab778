secret "A" { env = "A" }
harness "acp" "main" {
  command = ["agent", "--key", secret.A]
}
