// Package remote is the host's end of the wire: a sandbox.Provider and a
// harness that live behind a gRPC connection.
//
// Every unary call has a deadline of its own. Every error has a class; one that
// the plugin didn't send itself names the plugin and says how it ended.
//
// Only sdk/plugin imports it.
package remote
