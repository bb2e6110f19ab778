provider "cloud" "c" {
  imge = "x"
}
