# The smallest whole: one agent, in one sandbox, under one policy. Run it with
# `make demo`, or, with bin/ on your PATH:
#
#   sandlot run -f examples/quickstart.hcl "write hello.txt: Hello"

# A provider makes sandboxes. This one runs the agent as processes on this
# machine, in a folder of its own: quick, but no wall around it. The first label
# is the provider's type, the second a name that you choose.
provider "localprocess" "here" {}

# A harness knows one agent program: how to start it and how to read what it
# prints. "acp" is for every agent that speaks the Agent Client Protocol. This
# one is a demo without a model: it does what the lines of the prompt say.
harness "acp" "demo" {
  command = ["sandlot-demo-agent"]
}

# A workspace is what the agent finds in its sandbox. Here: an empty folder. For
# real work it would be a git repository, with its setup steps and secrets.
workspace "scratch" {
  source "none" {}
}

# A policy says what the agent may do by itself, what it must ask you for, and
# what it may never do. A deny holds even if you run with `--approve yes`.
policy "careful" {
  default    = "ask"
  file_write = "allow"

  commands {
    allow = ["ls *", "cat *"]
    ask   = ["date *"]
    deny  = ["rm -rf *"]
  }
}

# A sandbox puts the four together; it is what `sandlot run` runs.
sandbox "quickstart" {
  provider  = provider.localprocess.here
  harness   = harness.acp.demo
  workspace = workspace.scratch
  policy    = policy.careful

  # A fresh sandbox for each run, removed at its end. With "thread", the default,
  # a conversation keeps its sandbox, and the next prompt finds its files.
  lifecycle {
    reuse = "none"
  }
}
