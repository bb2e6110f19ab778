sandbx "one" {}
