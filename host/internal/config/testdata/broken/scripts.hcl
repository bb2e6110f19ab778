secret "S" { value = "hunter2hunter2" }
workspace "w" {
  scripts = {
    "a b"  = "x"
    empty  = " "
  }
}
workspace "u" {
  scripts = { leaks = "x ${secret.S}" }
}
workspace "v" {
  scripts = ["x"]
}
