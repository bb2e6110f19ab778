harness "acp" "main" {
  command = [
    "agent",
    ["x"],
  ]
}
