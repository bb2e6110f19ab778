// Package policy decides one command or capability, and says by which rule.
//
// Rules are globs over whole commands: `*` stands for any run of characters,
// spaces and slashes too, `?` for one. Deny wins over ask, ask over allow, and
// what no rule names gets the default.
//
// This is not a shell. A command is text, and its limits are those of text:
//
//   - Blanks are normalised, line continuations joined; quotes, variables and
//     aliases are not resolved, so `r"m" -rf /` and `$X` aren't seen for what
//     they run. A deny rule states an intention and catches an honest agent; it
//     doesn't hold a hostile one. Isolation does.
//   - A command with a separator, a substitution or a redirection anywhere, also
//     inside quotes, is compound. An allow rule never lets a compound command
//     through: it is asked about instead (or denied, if that is the default).
//   - Deny and ask rules are tried on the whole command and on each piece of a
//     compound one; cutting goes by characters, so it may see a piece where the
//     shell sees text. That errs on the side of asking.
//   - `git diff *` doesn't fit a bare `git diff`.
//
// The package imports nothing of this project; the CLI and runs may import it.
package policy
