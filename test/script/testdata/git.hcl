# The configuration of cases with a repository: gitserve TOKEN; cp $GITDEMO sandlot.hcl
variable "url" {
  type    = string
  default = env("GIT_URL")
}

secret "GH" {
  env = "GH_TOKEN"
}

provider "localprocess" "here" {}

harness "acp" "demo" {
  command = ["sandlot-demo-agent"]
}

policy "p" {
  default = "allow"
}

workspace "app" {
  source "git" {
    url   = var.url
    ref   = "main"
    token = secret.GH
  }
}

sandbox "demo" {
  provider  = provider.localprocess.here
  harness   = harness.acp.demo
  policy    = policy.p
  workspace = workspace.app
}
