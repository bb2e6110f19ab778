secret "my-token" { env = "A" }
