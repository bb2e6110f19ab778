harness "acp" "main" {
  model = "x"
}
