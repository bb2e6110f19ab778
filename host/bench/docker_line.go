//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// dockerProject has this program in the container as the agent.
const dockerProject = `
provider "docker" "here" {
  image = %[1]q
  pull  = "never"
  mount "/opt/bench" { source = %[2]q }
}
harness "acp" "slow" { command = ["/opt/bench", "agent", "%[3]d", "20"] }
policy "p" { default = "allow" }
sandbox "demo" {
  provider = provider.docker.here
  harness  = harness.acp.slow
  policy   = policy.p
  lifecycle { reuse = "none" }
}
`

// line is the way of an agent's line from the container to the terminal: by its
// journal, the harness and the store. The raw limit is the same agent on a pipe,
// without a container.
func (d *docker) line() (row, error) {
	dir := filepath.Join(d.dir, "docker-project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return row{}, err
	}
	lines := d.size(50)
	hcl := fmt.Sprintf(dockerProject, dockerImage, d.self, lines)
	if err := os.WriteFile(filepath.Join(dir, "sandlot.hcl"), []byte(hcl), 0o644); err != nil {
		return row{}, err
	}
	return row{
		name: "run: from a line to the terminal", unit: "ms", goal: goal{of: "ours", most: 15},
		raw: d.alone(dir, d.asAgent(lines, 20), lateness(lines)), ours: d.throughSandlot(dir, "slow", lateness(lines)),
	}, nil
}
