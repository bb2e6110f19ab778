# Grok Build, which speaks the Agent Client Protocol, with an API key. You need
# the program `grok` (1.0.41 is what our tests run) and bash on your PATH, and the
# key in your environment:
#
#   npm install -g @xai-official/grok@1.0.41
#   export XAI_API_KEY=...
#   sandlot run -f examples/grok.hcl "Write a haiku into haiku.txt"

provider "localprocess" "here" {}

harness "acp" "grok" {
  # Without --no-leader a background process would serve all sessions, outside
  # this sandbox.
  command     = ["grok", "agent", "--no-leader", "stdio"]
  auth_method = "xai.api_key"

  env = {
    GROK_DISABLE_AUTOUPDATER        = "1"
    GROK_FEEDBACK_ENABLED           = "false"
    GROK_TELEMETRY_ENABLED          = "false"
    GROK_TELEMETRY_MIXPANEL_ENABLED = "false"
    GROK_TELEMETRY_TRACE_UPLOAD     = "false"
    GROK_TURN_SUMMARY               = "false" # one more model request after each turn

    # How long it asks again when the model's service fails. Without bounds that
    # takes minutes.
    GROK_MAX_RETRIES          = "3"
    GROK_TURN_TRANSIENT_RETRY = "false"
  }
}

# The key is fetched when the agent starts, and kept in none of our files.
secret "XAI_API_KEY" { env = "XAI_API_KEY" }

workspace "scratch" {
  source "none" {}
  secrets = [secret.XAI_API_KEY]
}

# Grok asks before it edits files and runs commands, but for a list of its own of
# harmless ones, such as ls, cat and touch.
policy "careful" {
  default    = "ask"
  file_write = "allow"

  commands {
    allow = ["git status *", "git diff *"]
    deny  = ["rm -rf *"]
  }
}

sandbox "grok" {
  provider  = provider.localprocess.here
  harness   = harness.acp.grok
  workspace = workspace.scratch
  policy    = policy.careful
}
