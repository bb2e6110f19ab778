# Claude Code on this machine, in a folder of its own. It may do what the policy
# allows; what the policy asks about, you are asked.
#
#   npm install -g @anthropic-ai/claude-code@2.1.332
#   export ANTHROPIC_API_KEY=...
#   sandlot run -f examples/claude-local.hcl "Write a haiku into haiku.txt"

provider "localprocess" "here" {}

secret "ANTHROPIC_API_KEY" { env = "ANTHROPIC_API_KEY" }

workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }

harness "claude-code" "claude" {}

policy "careful" {
  default    = "ask"
  file_write = "allow"
  commands {
    allow = ["ls *", "cat *", "git status *", "git diff *"]
    deny  = ["sudo *", "rm -rf *", "git push *"]
  }
}

sandbox "claude" {
  provider  = provider.localprocess.here
  harness   = harness.claude-code.claude
  workspace = workspace.scratch
  policy    = policy.careful
}
