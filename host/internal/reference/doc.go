// Package reference makes a page of Markdown about a plugin out of what the plugin
// says of itself: its arguments, its abilities, what it reads. All of that is
// somebody else's text, so nothing of it reaches the page but as plain words: no
// control characters, no markup, no links but the one to its issues. It runs
// nothing and prints nothing. Only the command line imports it.
package reference
