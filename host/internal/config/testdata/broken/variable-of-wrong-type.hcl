variable "a" {
  type    = list(number)
  default = ["x"]
}
