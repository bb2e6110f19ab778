// Package process runs a plugin's program for go-plugin: a runner.Runner that
// owns the process from its start to the end of its group.
//
// go-plugin's own runner gives the plugin the host's stdin, kills one process
// only, and leaves plugins alive when the host is killed. This one starts it
// with stdin at the null device, in a process group of its own, with a signal
// for the host's death where the system has that, and ends the whole group.
// It also reads stderr, for ever and with whatever line length: a plugin must
// never block or die because of what it logs.
//
// Only sdk/plugin imports it.
package process
