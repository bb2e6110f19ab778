harness "acp" "main" {
  command = ["agent", null]
}
