secret "A" { redact = false }
