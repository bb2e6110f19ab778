// Package sandboxes finds or makes the sandbox that a run needs, and removes
// it. It keeps the store's inventory in step with the provider: the row is
// written before anything is made, so that nothing can be made and forgotten.
//
// It knows no runs beyond their id, no harness and no policy.
package sandboxes
