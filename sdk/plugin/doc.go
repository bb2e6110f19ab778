// Package plugin is the glue between the Go contracts (sdk/sandbox,
// sdk/harness) and plugin processes: both ends of the wire.
//
// On the plugin's side [Main] is what a plugin's main runs. On the host's side
// [Launch] starts a plugin process and [Client] gives a sandbox.Provider or a
// harness that lives in it. [ProviderPipe] and [HarnessPipe] put a real gRPC
// connection between the two in one process, for tests.
//
// What crosses the wire is converted in internal/wire, served by
// internal/server and called by internal/remote. internal/guard keeps a plugin
// process clean and ends it with its host.
//
// The package knows nothing of where plugins are found, of HCL or of runs. Only
// the SDK root, the conformance suites and host/internal/plugins import it.
package plugin
