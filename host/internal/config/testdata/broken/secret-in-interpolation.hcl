secret "A" { env = "A" }
provider "cloud" "c" {
  image = "x-${secret.A}"
}
