// Package guard keeps a plugin's process clean and ends it with its host.
//
// A plugin inherits what its host happens to have open, and go-plugin leaves it
// alive when the host is killed; both were measured. So, before anything else:
// stdin reads end of file, no inherited descriptor reaches a child, the variables
// of the handshake leave the environment, and stdout is kept for the handshake
// alone.
//
// Only sdk/plugin imports it.
package guard
