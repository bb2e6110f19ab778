workspace "app" {
  mcp "my__server" { url = "https://example.com" }
  mcp "my server" { url = "https://example.com" }
}
