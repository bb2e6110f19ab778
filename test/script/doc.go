// Package script holds the cases of the command line: each file
// testdata/VERB/THE-CASE-AS-A-SENTENCE.txtar is one of them, run by testscript
// over the built programs in a world of its own. It has no code of its own and
// nobody imports it. What needs more than the command line is in test/e2e.
package script
