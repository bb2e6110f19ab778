provider "cloud" "c" {
  token = "hunter2-hunter2"
}
