secret "GH_TOKEN" { env = "GH_TOKEN" }
workspace "w" {
  secrets = [secret.GH_TOKN, "plain"]
}
