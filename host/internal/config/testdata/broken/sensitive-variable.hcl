variable "t" {
  default   = "hunter2-hunter2"
  sensitive = true
}
workspace "w" {
  env = { T = "x-${var.t}" }
}
