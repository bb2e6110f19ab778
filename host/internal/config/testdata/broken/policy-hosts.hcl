policy "open" {
  network { allow_hosts = ["example.com"] }
}
policy "asks" {
  network {
    default     = "ask"
    allow_hosts = ["*.example.com", "https://example.com", "a.*.com", "example.com:443", "*", ""]
  }
}
