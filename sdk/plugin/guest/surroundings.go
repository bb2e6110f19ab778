package guest

// Surroundings is what a container is held to, as the kernel tells it to a guest
// inside of it: `sandlot-guest look` prints it as JSON.
type Surroundings struct {
	Mounts []Mount `json:"mounts"` // in the kernel's order: a later one covers an earlier one
	// Links are the network interfaces that are up, but for the loopback.
	Links []string `json:"links,omitempty"`
}

// Mount is one mounted file system, or a part of one.
type Mount struct {
	Target   string `json:"target"`              // absolute path
	ReadOnly bool   `json:"read_only,omitempty"` // nobody can write to it
}
