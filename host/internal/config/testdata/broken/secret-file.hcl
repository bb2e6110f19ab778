secret "A" { file = "hunter2-hunter2" }
secret "B" { command = ["pass", "hunter2-hunter2"] }
