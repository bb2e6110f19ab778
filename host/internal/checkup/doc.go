// Package checkup looks at the machine for what would keep runs from working, and
// says for each finding what is wrong and the one line that mends it. It looks
// through the eyes of those who do the work: it asks the store, the plugins, the
// fetcher of sources and the planner, and has no opinion of its own on what these
// need. It changes nothing, makes no store, and shows no value of a secret.
//
// Only the command line imports it; it prints nothing.
package checkup
