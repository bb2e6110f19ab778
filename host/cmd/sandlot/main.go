// Command sandlot runs coding agents inside sandboxes, from an HCL file.
package main

import (
	"context"
	"os"

	"github.com/sandlot-dev/sandlot/host/internal/cli"
)

// version is set when a release is built.
var version = "dev"

func main() {
	os.Exit(cli.Main(context.Background(), cli.System(version)))
}
