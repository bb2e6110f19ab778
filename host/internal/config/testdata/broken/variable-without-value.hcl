variable "a" {}
variable "b" { default = env("NOT_SET") }
