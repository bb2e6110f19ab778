secret "A" { env = "A" }
locals { b = "x${secret.A}" }
secret "B" { value = local.b }
