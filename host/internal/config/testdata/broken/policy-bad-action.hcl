policy "p" {
  default    = "alow"
  file_write = ""
  commands {
    permit = []
  }
}
