provider "localprocess" "here" {}
harness "acp" "main" { command = ["a"] }
sandbox "one" {
  provider = provider.localprocess.hera
  harness  = harness.acp.main
}
