provider "localprocess" {}
