provider "localprocess" "here" {}
harness "acp" "main" { command = ["a"] }
sandbox "one" {
  provider = provider.localprocess.here
  harness  = harness.acp.main
  lifecycle {
    reuse     = "thred"
    snapshot  = "after-setup"
    on_cancel = "keep"
  }
  timeouts {
    run = "-1s"
  }
}
