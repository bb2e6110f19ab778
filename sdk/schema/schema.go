package schema

import "encoding/json"

// Block describes the body of a configuration block.
type Block struct {
	// Attributes in the order of the struct's fields.
	Attributes []Attribute `json:"attributes,omitempty"`
	// Blocks nested in this one, in the order of the struct's fields.
	Blocks []NestedBlock `json:"blocks,omitempty"`
}

// Attribute describes one `name = value` of a block.
type Attribute struct {
	// Name as written in HCL; also the key in the JSON value.
	Name string `json:"name"`
	// Type of the value.
	Type Type `json:"type"`
	// Required is true if leaving it out is an error.
	Required bool `json:"required,omitempty"`
	// Default is the JSON value taken when it is left out; nil if there is none.
	Default json.RawMessage `json:"default,omitempty"`
	// Doc is one or more sentences for people; may be empty.
	Doc string `json:"doc,omitempty"`
	// Example is a value as it would be written in HCL; may be empty.
	Example string `json:"example,omitempty"`
	// Deprecated says what to use instead; empty if it isn't deprecated.
	Deprecated string `json:"deprecated,omitempty"`
	// Identity is true if another value means another sandbox.
	Identity bool `json:"identity"`
	// Sensitive is true if the type holds secrets: secret references may stand here.
	Sensitive bool `json:"sensitive,omitempty"`
}

// Nesting says how often a nested block may stand and what its JSON value is.
type Nesting string

// The closed set of nestings.
const (
	// Single is at most one block: a JSON object, or absent.
	Single Nesting = "single"
	// List is any number of blocks in the order written: a JSON array of objects.
	List Nesting = "list"
)

// NestedBlock describes a block inside a block.
type NestedBlock struct {
	// Name is the block's keyword; also the key in the JSON value.
	Name string `json:"name"`
	// Labels are the names of its labels, in order; each is a string key of the
	// block's JSON object.
	Labels []string `json:"labels,omitempty"`
	// Min is the least number of blocks: 0 or 1.
	Min int `json:"min,omitempty"`
	// Max is the greatest number of blocks; 0 means no limit.
	Max int `json:"max,omitempty"`
	// Nesting is Single or List.
	Nesting Nesting `json:"nesting"`
	// Doc is one or more sentences for people; may be empty.
	Doc string `json:"doc,omitempty"`
	// Deprecated says what to use instead; empty if it isn't deprecated.
	Deprecated string `json:"deprecated,omitempty"`
	// Block is its body.
	Block Block `json:"block"`
}
