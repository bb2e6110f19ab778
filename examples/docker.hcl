# The quickstart in a container: the demo agent sees an image's files, not yours,
# and what it starts ends with the container. It needs a Docker engine; Sandlot
# uses the one that the `docker` command would.
#
#   sandlot run -f examples/docker.hcl "write hello.txt: Hello"

variable "image" {
  type        = string
  default     = "debian:12-slim"
  description = "Any Linux image with /bin/sh."
}

variable "agent" {
  type        = string
  default     = "/usr/local/bin/sandlot-demo-agent"
  description = "Where the demo agent is on the engine's machine (make demo-agent builds it into bin/)."
}

provider "docker" "isolated" {
  image  = var.image
  cpus   = 1
  memory = "512MiB"
  pids   = 256

  # An agent is usually part of the image, or installed by a workspace's setup.
  # This one is a single file, which the container sees and can't change.
  mount "/usr/local/bin/sandlot-demo-agent" {
    source = var.agent
  }
}

harness "acp" "demo" {
  command = ["sandlot-demo-agent"]
}

policy "careful" {
  default    = "ask"
  file_write = "allow"
  commands {
    allow = ["ls *", "cat *", "uname *"]
  }
}

sandbox "docker" {
  provider = provider.docker.isolated
  harness  = harness.acp.demo
  policy   = policy.careful
}
