package main

// version of this harness.
const version = "0.1.0"

func main() {}
