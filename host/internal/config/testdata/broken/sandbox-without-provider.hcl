harness "acp" "main" { command = ["a"] }
sandbox "one" {
  harness = harness.acp.main
}
