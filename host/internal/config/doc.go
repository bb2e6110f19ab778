// Package config reads a project: HCL files in, a resolved, serialisable [Spec]
// of one sandbox block out, and a diagnostic with file, line and column for
// whatever is wrong.
//
// Decoding has two phases. First `sandlot`, `variable` and `locals`, which say
// what the rest means; then, once plugins have given their schemas, the bodies
// of all other blocks. Blocks of the host and of plugins go through one decoder,
// driven by sdk/schema.
//
// Secrets are never read here. `secret.X` evaluates to a placeholder with a
// random part, marked with its name; what composes it (templates, bearer,
// format, join) keeps the placeholder whole, and whatever would lose it is an
// error at that expression. A Spec holds names. Only a secret's literal `value`
// is known here; it is handed out by [Project.SecretValues] and goes nowhere
// else: not into a Spec, a diagnostic or a snippet.
//
// A variable declared `sensitive` may only become a secret's `value`; in any
// other place it is an error, because what stands there is stored and shown.
//
// The package reads the files it is pointed at and nothing else: environment and
// working directory are passed in. It imports sdk/schema and no other package of
// the host. The CLI, runs, sandboxes and workspace may import it.
package config
