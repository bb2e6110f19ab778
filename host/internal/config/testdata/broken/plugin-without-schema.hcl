harness "broken" "b" {}
