variable "a" {
  type    = strin
  default = "x"
}
