provider "cloud" "c" {
  old  = "x"
  flag = "maybe"
}
