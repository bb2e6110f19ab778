locals {
  a = local.b
  b = "${local.c}x"
}
locals {
  c = [local.a]
  d = 1
}
