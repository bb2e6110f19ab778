// Program sandlot-provider-localprocess makes sandboxes of plain processes of
// this machine: a folder to work in, a folder for state, and process trees
// that can be killed as a whole. It isolates nothing: Info says so.
//
// Everything it knows lies in $SANDLOT_HOME/sandboxes/<first 16 digits of the
// key>: root, state and, in state, the owner file and the process records. So
// any process of this program can go on where another stopped.
package main
