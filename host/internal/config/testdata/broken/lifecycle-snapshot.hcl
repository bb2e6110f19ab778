provider "localprocess" "here" {}
harness "acp" "main" { command = ["agent"] }
sandbox "one" {
  provider = provider.localprocess.here
  harness  = harness.acp.main
  lifecycle {
    reuse            = "none"
    snapshot         = "after-run"
    snapshot_max_age = "0s"
  }
}
sandbox "two" {
  provider = provider.localprocess.here
  harness  = harness.acp.main
  lifecycle {
    snapshot = "after-setpu"
  }
}
