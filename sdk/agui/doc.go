// Package agui holds the events of the AG-UI protocol that a run consists of,
// as plain structs, and their JSON form.
//
// Events carry no time: they are a function of what the agent printed, and the
// time is added when they are served. The package knows no transport; harnesses
// make events, the host stores them, clients decode them.
package agui
