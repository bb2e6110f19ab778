//go:build linux

// Command sandlot-guest runs inside a sandbox and serves its processes and files
// over stdin and stdout; see sdk/plugin/guest. Providers put it there; nobody
// calls it by hand.
//
//	sandlot-guest serve ROOT OWN [USER]   serves until its stdin ends; USER: another than the container's
//	sandlot-guest settle FOLDER TOKEN     has all files written out, a new one named TOKEN last
//	sandlot-guest look                    prints what the container is held to, as JSON
//	sandlot-guest idle                    does nothing until it is told to end
//
// ROOT is the folder of the workspace, OWN the guest's: it holds the state folder.
package main
