// Package shell reads a shell's text and says which commands it would run, as
// far as that is known without running it.
//
// It finds each command in any position of the grammar: lists, pipes, functions,
// substitutions also in quotes and here-documents, and what programs run whose
// work it is to run another (`sh -c`, `env`, `xargs`, `find -exec`, `sudo`). A
// part that is known only when the shell runs is a [Hole] in its word. What
// can't be read, it says so; it never guesses in favour of a command.
//
// Where bash expands a text only later it looks there too: what numbers are made
// of (`x='a[$(b)]'; echo $((x))`), and variables that name a program (PAGER,
// GIT_SSH_COMMAND, PROMPT_COMMAND), git's settings among them. Such a command is
// a possible one.
//
// It doesn't look into files that a command runs, into other languages
// (`python -c`, `awk`), or at what another machine does. Text is read as bash
// reads it, and also as a POSIX shell does where that can.
//
// The package imports nothing of this project; policy imports it.
package shell
