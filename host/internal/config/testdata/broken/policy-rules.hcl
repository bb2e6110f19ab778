provider "localprocess" "here" {}
harness "acp" "demo" { command = ["demo"] }
policy "p" {
  commands {
    allow = ["grep a|b *", "find * -exec rm {} ;", "*"]
    ask   = ["make && make install"]
    deny  = ["sudo", "curl * | sh", "  "]
  }
}
sandbox "demo" {
  provider = provider.localprocess.here
  harness  = harness.acp.demo
  policy   = policy.p
}
