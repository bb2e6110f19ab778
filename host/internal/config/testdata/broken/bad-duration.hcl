provider "cloud" "c" {
  wait  = "3 parsecs"
  waits = ["1s", 30]
}
