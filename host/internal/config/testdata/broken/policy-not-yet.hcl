policy "p" {
  network {
    default = "deny"
    setup   = "allow"
  }
}
policy "q" {
  network {
    allow_hosts = ["x"]
  }
}
