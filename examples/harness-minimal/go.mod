module github.com/sandlot-dev/sandlot/examples/harness-minimal

go 1.26.0

require github.com/sandlot-dev/sandlot v0.0.0

require (
	github.com/fatih/color v1.13.0 // indirect
	github.com/hashicorp/go-hclog v1.6.3 // indirect
	github.com/mattn/go-colorable v0.1.12 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/sandlot-dev/sandlot => ../..
