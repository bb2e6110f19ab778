// Package filetail reads a file of this machine that grows: at its end a Read
// waits, on Linux without looking all the time.
//
// It is for providers whose sandboxes' files are files of this machine, and it
// makes Files.Read with Follow. It imports the standard library and
// golang.org/x/sys only.
package filetail
