provider "localprocess" "here" {}
harness "acp" "main" { command = ["a"] }
sandbox "one" {
  provider = "localprocess"
  harness  = harness.acp
}
