policy "careful" {}
provider "localprocess" "here" {}
harness "acp" "main" { command = ["a"] }
sandbox "one" {
  provider  = provider.localprocess.here
  harness   = harness.acp.main
  workspace = policy.careful
}
