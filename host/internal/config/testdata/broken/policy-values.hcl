policy "p" {
  default          = "alow"
  file_write       = ""
  approval_timeout = "0s"
}
