// Package policy decides one command or capability, and says by which rule.
//
// A command is read as a shell reads it (package shell): each command that it
// would run is decided by itself, also those in substitutions, here-documents,
// functions and behind programs that run others; so is each file that a
// redirection writes. The strictest decision counts: deny before ask before
// allow.
//
// Rules are globs over a command's words: `*` stands for any run of characters,
// blanks and slashes too, `?` for one. For one command deny wins over ask, ask
// over allow, and what no rule names gets the default.
//
//   - A rule that denies or asks is read widely: it holds also with more
//     arguments, and for the program in any folder. `sudo` denies
//     `/usr/bin/sudo -n x`.
//   - A rule that allows is read narrowly: that command as written, without
//     variables set for it; a last ` *` stands for any arguments, also none.
//     What an allowed command runs in turn is allowed with it, unless a rule
//     denies it or asks.
//   - A word that is known only when the shell runs is asked about where a rule
//     that denies or asks could hold for it; so is a text that can't be read.
//
// What a program does is not seen: a script in a file, another language's
// interpreter (`python -c`), another machine. A deny rule holds an agent to what
// it says it does; only isolation holds a hostile one.
//
// The CLI and runs may import it.
package policy
