// Package format lays out configuration files in the one way that `sandlot fmt`
// has: only whitespace changes, never a token. It finds the files, formats their
// text and replaces them whole or not at all; it prints nothing. What a file means
// is config's business. Only the command line imports it.
package format
