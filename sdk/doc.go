// Package sdk makes a program a plugin. The main of a plugin is one call:
//
//	func main() {
//		sdk.ServeProvider(sdk.Provider[config]{
//			Type:     "docker",
//			Version:  version,
//			Provider: (*provider)(nil),
//			Sandbox:  (*box)(nil),
//			New:      newProvider,
//		})
//	}
//
// What the call does beside serving: it answers `describe`, explains itself to
// somebody who starts the plugin by hand, keeps stdin, file descriptors,
// environment and stdout clean, turns a panic into an error that names the
// plugin, and ends the process when the host dies, after it has killed what was
// started and isn't detached.
//
// The contracts to implement are in sdk/sandbox and sdk/harness. sdk/processes and
// sdk/shellfs implement the larger part of a sandbox; sdk/schema has the tags of a
// configuration; sdk/providertest and sdk/harnesstest are the suites to pass. Two
// tutorials are in docs/build-a-provider.md and docs/build-a-harness.md.
//
// Plugins import this package; the host never does.
package sdk
