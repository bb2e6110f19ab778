// Command sandlot-guest runs inside a sandbox and serves its processes and files
// over stdin and stdout; see sdk/plugin/guest. Providers put it there; nobody
// calls it by hand.
//
//	sandlot-guest serve ROOT HOME STATE   serves until its stdin ends
//	sandlot-guest idle                    does nothing until it is told to end
package main
