sandlot {
  required_version = ">= 7"
  required_providers {
    a = { source = "acme", version = "newest" }
    b = "x"
    c = { sauce = "x/y" }
  }
}
