// Package server serves a sandbox.Provider or a harness.Harness over gRPC: the
// plugin's end of the wire.
//
// It keeps no state that a new plugin process couldn't make again: a call that
// names a sandbox which this process hasn't opened resumes it by itself.
//
// Only sdk/plugin imports it.
package server
