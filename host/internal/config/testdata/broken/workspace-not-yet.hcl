workspace "app" {
  source "git" {
    url = "https://example.com/x.git"
  }
  package_manager = "auto"
  setup {
    run = ["make"]
  }
  skill "file" "x" { content = "y" }
  mcp "m" { url = "u" }
  instructions = "x"
}
