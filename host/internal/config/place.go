package config

import "bytes"

// SamePlace reports whether two sandboxes are of the same kind and hold the same
// thing, so that what a person allows in the one may be taken to be meant for the
// other: the provider and what counts of its configuration, and where the files come
// from. What the sandboxes are made ready with, their environment, harness and policy
// may differ.
func SamePlace(a, b *Spec) bool {
	return a.Project == b.Project && a.Provider.Type == b.Provider.Type && bytes.Equal(a.Provider.Identity, b.Provider.Identity) &&
		a.Workspace.Source.Kind == b.Workspace.Source.Kind && a.Workspace.Source.Path == b.Workspace.Source.Path &&
		a.Workspace.Source.URL == b.Workspace.Source.URL
}
