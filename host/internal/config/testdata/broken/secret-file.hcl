secret "A" {
  file  = "token"
  value = "hunter2-hunter2"
}
secret "B" { command = ["pass show mail"] }
secret "C" { command = [] }
secret "D" { file = "~me/token" }
secret "E" { file = "" }
secret "F" {
  env     = "TOKEN"
  file    = "token"
  command = ["pass", "token"]
}
