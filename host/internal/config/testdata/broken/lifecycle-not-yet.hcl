provider "localprocess" "here" {}
harness "acp" "main" { command = ["a"] }
sandbox "one" {
  provider = provider.localprocess.here
  harness  = harness.acp.main
  lifecycle {
    detached_ttl = "24h"
  }
  hooks {
    on_ready = ["x"]
  }
  file_events {}
}
