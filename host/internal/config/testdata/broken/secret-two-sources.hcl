secret "A" {
  env   = "A"
  value = "hunter2-hunter2"
}
