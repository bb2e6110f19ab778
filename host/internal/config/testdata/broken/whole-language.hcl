sandlot {
  required_version = ">= 0.1"
  required_providers {
    acme = { source = "acme-inc/acme", version = "~> 1.2" }
  }
}

variable "model" {
  type    = string
  default = "sonnet"
}

secret "ANTHROPIC_API_KEY" { env = "ANTHROPIC_API_KEY" }
secret "GH" { env = "GH_TOKEN" }
secret "FILE" { file = "~/.token" }
secret "COMMAND" { command = ["pass", "show", "x"] }

provider "cloud" "isolated" {
  image = "node:22"
  cpus  = 2
}

harness "acp" "main" {
  command   = ["agent"]
  model     = var.model
  auth_mode = "api-key"
}

workspace "app" {
  source "git" {
    url   = "https://github.com/owner/app.git"
    ref   = "main"
    depth = 1
    token = secret.GH
  }
  package_manager = "auto"
  setup {
    run      = ["corepack enable", "pnpm install"]
    parallel = ["pnpm build", "pnpm typecheck"]
    timeout  = "30m"
    retries  = 0
  }
  scripts      = { test = "pnpm test" }
  env          = { NODE_ENV = "test", GITHUB_TOKEN = secret.GH }
  secrets      = [secret.ANTHROPIC_API_KEY]
  instructions = "Always run `pnpm test` before proposing a change."

  skill "git" "pack" {
    repo  = "owner/skills"
    token = secret.GH
  }
  skill "file" ".hints.md" { content = "Prefer pnpm." }
  skill "agent" "review" {}
  mcp "sentry" {
    url     = "https://mcp.example.com"
    headers = { Authorization = bearer(secret.GH) }
  }
  agent_plugins = ["@anthropic/plugin-foo"]
}

policy "careful" {
  default = "ask"
  commands {
    allow = ["pnpm test", "git diff *"]
    ask   = ["pnpm install", "curl *"]
    deny  = ["rm -rf *"]
  }
  file_write = "allow"
  network {
    default     = "deny"
    allow_hosts = ["*.example.com"]
    setup       = "allow"
  }
  approval_timeout = "10m"
  strict           = false
}

sandbox "repo-agent" {
  provider  = provider.cloud.isolated
  harness   = harness.acp.main
  workspace = workspace.app
  policy    = policy.careful

  lifecycle {
    reuse               = "thread"
    snapshot            = "after-setup"
    snapshot_max_age    = "24h"
    keep_alive          = "30m"
    destroy_on_complete = false
    on_cancel           = "keep"
    on_disconnect       = "detach"
    detached_ttl        = "24h"
  }
  timeouts {
    startup      = "60s"
    idle         = "10m"
    after_result = "10s"
    run          = "2h"
  }
  file_events {
    enabled = true
    diff    = false
    ignore  = [".git", "node_modules"]
  }
  hooks {
    on_ready   = ["./notify.sh"]
    on_file    = ["./audit.sh"]
    on_error   = ["./page.sh"]
    on_destroy = ["./done.sh"]
  }
}
