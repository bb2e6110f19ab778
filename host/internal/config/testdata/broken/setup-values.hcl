workspace "a" {
  setup {}
}
workspace "b" {
  setup { run = "make" }
}
workspace "c" {
  setup {
    run     = ["make", "  "]
    timeout = "0s"
    retries = -1
  }
  setup {
    run     = ["make"]
    timeout = "-3m"
    retries = 1000
  }
}
workspace "d" {
  setup {
    run     = ["make"]
    timeout = "soon"
    retries = 1.5
  }
}
workspace "e" {
  setup { run = ["echo ${secret.A}"] }
}
secret "A" { env = "A" }
