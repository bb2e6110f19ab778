variable "a" {
  default = 3
  validation {
    condition     = var.a > 5
    error_message = "It must be more than 5, not ${var.a}."
  }
}
