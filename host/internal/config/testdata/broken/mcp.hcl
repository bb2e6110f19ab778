workspace "app" {
  mcp "two" {
    url     = "https://example.com"
    command = "x"
  }
  mcp "none" {}
  mcp "web" {
    url     = "example.com/mcp"
    args    = ["x"]
    headers = { "a b" = "c" }
  }
  mcp "local" {
    command = "npx -y server"
    headers = { a = "b" }
    env     = { "a-b" = "c" }
  }
  mcp "empty" { command = " " }
  mcp "empty" { command = "x" }
  mcp "open" { url = "https://me:hunter2@example.com" }
}
