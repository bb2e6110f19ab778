variable "agent" {}
locals { cmd = [var.agnt] }
harness "acp" "main" {
  command = local.cmd
}
