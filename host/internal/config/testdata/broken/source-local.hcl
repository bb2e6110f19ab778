workspace "a" {
  source "local" {}
}
workspace "b" {
  source "local" { path = "no-such-folder" }
}
workspace "c" {
  source "local" { path = "source-local.hcl" }
}
workspace "d" {
  source "local" { path = "" }
}
workspace "e" {
  source "none" {
    path      = "."
    gitignore = true
  }
}
workspace "f" {
  source "local" {
    path = "."
    pth  = "x"
  }
  source "none" {}
}
workspace "g" {
  source "lokal" {}
}
workspace "h" {
  source "local" { path = secret.A }
}
secret "A" { env = "A" }
