policy "p" {
  network {
    default = "deny"
  }
}
policy "q" {
  network {
    allow_hosts = ["x"]
  }
}
