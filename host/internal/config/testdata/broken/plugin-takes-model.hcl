harness "greedy" "g" {}
