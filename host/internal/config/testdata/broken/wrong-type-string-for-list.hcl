harness "acp" "main" {
  command = "agent"
}
