# The configuration that cases copy: cp $DEMO sandlot.hcl
provider "localprocess" "here" {}

harness "acp" "demo" {
  command = ["sandlot-demo-agent"]
}

policy "p" {
  default    = "ask"
  file_write = "allow"

  commands {
    allow = ["echo *", "cat *"]
    deny  = ["rm *"]
  }
}

sandbox "demo" {
  provider = provider.localprocess.here
  harness  = harness.acp.demo
  policy   = policy.p
}
