policy "p" {}
harness "acp" "main" {
  command = [policy.p]
}
