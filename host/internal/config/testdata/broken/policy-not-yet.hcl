policy "p" {
  strict = true
  network {
    default = "deny"
  }
}
policy "q" {
  network {
    allow_hosts = ["x"]
  }
}
