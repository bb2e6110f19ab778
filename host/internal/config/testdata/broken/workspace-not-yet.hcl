workspace "app" {
  source "git" {
    url = "https://example.com/x.git"
  }
  package_manager = "auto"
  setup {
    run      = ["make"]
    parallel = ["make test"]
  }
  skill "file" "x" { content = "y" }
  instructions = "x"
}
