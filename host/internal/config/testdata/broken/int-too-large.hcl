provider "cloud" "c" {
  cpus = 9223372036854775808
}
