package config_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

func TestX(t *testing.T) {
	p := load(t, `
sandlot {
  required_version = ">= 0.1"
  required_providers {
    acme = { source = "acme-inc/acme", version = "~> 1.2" }
  }
}
variable "model" {
  type = string
  default = "sonnet"
}
secret "GH" { env = "GH_TOKEN" }
secret "UNUSED" { env = "GH_TOKEN" }
secret "LIT" { 
 value = "abc-literal" 
 redact = false 
}
provider "cloud" "c" {
  token = secret.GH
  headers = { A = bearer(secret.GH), B = "x" }
  retry { 
    times = 3 
    key = "k-${secret.LIT}"
   }
  volume "tmp" { target = "/t" }
  volume "tmp" { target = "/u" }
}
harness "acp" "main" {
  command = ["a", "b"]
  model = var.model
}
workspace "w" {
  env = { A = "x", B = "Bearer ${secret.GH}" }
  secrets = [secret.LIT]
  source "none" {}
}
sandbox "s" {
  provider = provider.cloud.c
  harness = harness.acp.main
  workspace = workspace.w
}
`)
	s := spec(t, p, "")
	b, _ := json.MarshalIndent(s, "", " ")
	fmt.Println(string(b))
	r, err := s.Provider.Reveal(func(p []config.Part) (string, error) { return fmt.Sprint(p), nil })
	fmt.Println(string(r), err)
	fmt.Println(s.Key("t", "", ""))
}
