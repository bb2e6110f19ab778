workspace "app" {
  source "gti" {}
  scrpts = {}
}
