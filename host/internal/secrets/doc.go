// Package secrets fetches the values of secrets when they are about to leave
// for a plugin or a sandbox, puts them where they are referred to, and scrubs
// them from what comes back.
//
// A [Set] lives as long as the driver of a run; it is never written anywhere,
// and prints as `***`. Scrubbing finds a value, and each line of it,
// character by character in the ways that tools write one by themselves: JSON
// strings, URLs, HTML, quotes of shells and languages, in any mixture; and in
// base64. It can't find a value that an agent encodes on purpose; a secret given
// to an agent is known to that agent.
//
// The package imports nothing of this project; the CLI and runs may import it.
package secrets
