# An agent that finds a copy of a folder of yours, made ready by setup commands.
# Run it with bin/ on your PATH:
#
#   sandlot run -f examples/workspace.hcl "read ready.txt"

provider "localprocess" "here" {}

# A demo without a model: it does what the lines of the prompt say.
harness "acp" "demo" {
  command = ["sandlot-demo-agent"]
}

workspace "examples" {
  # Copied into the sandbox once, when it is made. The path is relative to this
  # file. With gitignore, what the folder's .gitignore files name stays away.
  source "local" {
    path      = "."
    gitignore = true
  }

  # Then these run, in one shell: cd and export carry over from one to the next.
  # The first that fails ends the run, and nothing is left of the sandbox.
  setup {
    run = [
      "export FOUND=$(ls *.hcl | wc -l)",
      "echo \"$FOUND configurations, for $AUDIENCE, in $SANDLOT_WORKSPACE\" | tee ready.txt",
    ]
    timeout = "1m"
  }

  env = { AUDIENCE = "everybody" }
}

policy "careful" {
  default    = "ask"
  file_write = "allow"
}

# The sandbox stays with its thread: `sandlot run -c` finds the same files, and
# setup doesn't run again. `sandlot destroy workspace` removes it.
sandbox "workspace" {
  provider  = provider.localprocess.here
  harness   = harness.acp.demo
  workspace = workspace.examples
  policy    = policy.careful
}
