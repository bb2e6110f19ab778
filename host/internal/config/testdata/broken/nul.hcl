locals {
  nul = "a\u0000b"
}

harness "acp" "agent" {
  command = ["my-agent", local.nul]
  env     = { "${local.nul}" = "x" }
}

workspace "app" {
  source "local" {
    path = local.nul
  }
  env = {
    FINE   = "x"
    BROKEN = "x${local.nul}"
  }
}
