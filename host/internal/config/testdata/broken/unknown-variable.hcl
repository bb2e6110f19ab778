variable "model" { default = "x" }
harness "acp" "main" {
  command = ["a"]
  model   = var.modle
}
