// Program sandlot-provider-docker makes sandboxes of containers of a Docker
// engine. A container's processes and files are served by a guest inside of it
// (sdk/plugin/guest), over the streams of one exec; what is left for this program
// is the life of containers.
//
// It keeps no state: a container's labels say whose it is, its name is made of
// the identity key, and the id of a sandbox is that of its container.
package main
