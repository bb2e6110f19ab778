# The configuration that cases about policies copy: cp $POLICYDEMO sandlot.hcl
provider "localprocess" "here" {}

harness "acp" "demo" {
  command = ["sandlot-demo-agent"]
}

workspace "app" {
  scripts = { check = "npm run check", deploy = "./deploy.sh --prod" }
}

policy "careful" {
  file_write = "allow"

  commands {
    allow = ["git diff *", "npm test", "check"]
    ask   = ["npm install"]
    deny  = ["sudo", "rm -rf *", "deploy"]
  }
}

policy "open" {
  default = "allow"
}

sandbox "app" {
  provider  = provider.localprocess.here
  harness   = harness.acp.demo
  workspace = workspace.app
  policy    = policy.careful
}
