# Claude Code in a container. Everything it does happens there, so the policy can
# allow more than on your own machine. It needs a Docker engine.
#
#   export ANTHROPIC_API_KEY=...
#   sandlot run -f examples/claude-docker.hcl "Write a haiku into haiku.txt"

variable "image" {
  type        = string
  default     = "node:22"
  description = "An image with glibc, and with npm if Claude Code isn't in it."
}

provider "docker" "isolated" {
  image  = var.image
  memory = "4GiB"
}

secret "ANTHROPIC_API_KEY" { env = "ANTHROPIC_API_KEY" }

workspace "scratch" {
  secrets = [secret.ANTHROPIC_API_KEY]

  # A new thread starts from a snapshot of what this has made.
  setup {
    run = ["command -v claude || npm install -g @anthropic-ai/claude-code@2.1.332"]
  }
}

harness "claude-code" "claude" {}

policy "contained" {
  default = "allow"
  commands {
    ask  = ["git push *"]
    deny = ["sudo *"]
  }
}

sandbox "claude" {
  provider  = provider.docker.isolated
  harness   = harness.claude-code.claude
  workspace = workspace.scratch
  policy    = policy.contained
}
