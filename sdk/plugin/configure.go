package plugin

import "encoding/json"

// Configure is the configuration of one plugin process; it is sent exactly
// once.
type Configure struct {
	Config json.RawMessage // value of the block, an object shaped by the schema; nil: {}
	Owner  string          // id of the host's store
	Block  string          // the block, for messages, e.g. `provider "docker" "isolated"`
	At     string          // where it stands, e.g. "sandlot.hcl:12"; the plugin isn't told
}
