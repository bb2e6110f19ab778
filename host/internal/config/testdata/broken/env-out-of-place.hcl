harness "acp" "main" {
  command = [env("HOME")]
}
