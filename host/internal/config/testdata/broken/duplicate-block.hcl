provider "localprocess" "a" {}

provider "localprocess" "a" {}
