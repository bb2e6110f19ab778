secret "A" {
  value = "hunter2-hunter2"
