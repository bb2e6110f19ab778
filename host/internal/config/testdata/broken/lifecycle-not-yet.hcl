provider "localprocess" "here" {}
harness "acp" "main" { command = ["a"] }
sandbox "one" {
  provider = provider.localprocess.here
  harness  = harness.acp.main
  lifecycle {
    keep_alive = "30m"
  }
  hooks {
    on_ready = ["x"]
  }
  file_events {}
}
