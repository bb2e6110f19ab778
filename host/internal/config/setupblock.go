package config

import (
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// setupBody is the body of a setup block.
type setupBody struct {
	Run     []string      `hcl:"run" doc:"Commands, one after the other in one shell: cd and export carry over." example:"[\"npm ci\"]"`
	Timeout time.Duration `hcl:"timeout" default:"30m" doc:"How long each command may take."`
	Retries int           `hcl:"retries" default:"0" doc:"How often a command that failed is tried again."`
}

// maxRetries is far more than helps against a network that is flaky.
const maxRetries = 100

// setupOf checks the decoded setup blocks.
func setupOf(out *decoded) ([]Setup, hcl.Diagnostics) {
	var all []Setup
	var diags hcl.Diagnostics
	blocks, _ := out.tree["setup"].([]any)
	for i, block := range blocks {
		var body setupBody
		path := schema.Index("setup", i)
		if more := decodeTree(block, &body, out.ranges, path); more.HasErrors() {
			diags = append(diags, more...)
			continue
		}
		for k, command := range body.Run {
			at := out.ranges.at(schema.Index(schema.Attr(path, "run"), k))
			if strings.TrimSpace(command) == "" {
				diags = append(diags, problem(&at, "Empty command", "There is nothing to run here. Remove it."))
			}
		}
		diags = append(diags, positive(out.ranges, schema.Attr(path, "timeout"), body.Timeout)...)
		if body.Retries < 0 || body.Retries > maxRetries {
			at := out.ranges.at(schema.Attr(path, "retries"))
			diags = append(diags, problem(&at, "Invalid number", "\"retries\" is from 0, which is none, to %d; this is %d.", maxRetries, body.Retries))
		}
		all = append(all, Setup(body))
	}
	return all, diags
}
