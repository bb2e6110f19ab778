harness "acp" "main" {
  command   = ["a"]
  auth_mode = "none"
}
