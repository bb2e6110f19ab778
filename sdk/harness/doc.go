// Package harness is the contract between the host and a harness: a plugin that
// knows one agent program, how to launch it and how to read what it prints.
//
// A harness is a translator. It never sees a sandbox: the host gives it the
// lines that the agent printed, and it answers with events. So a run can be
// replayed through it: the same lines give the same events, whatever process
// they pass through and however they are sliced.
//
//	host                         harness
//	Start            ->
//	                 <-          Provision, Launch
//	Lines, Lines...  ->
//	                 <-          events, Write, Ask
//	Decision, Cancel ->
//	Exit             ->
//	                 <-          Done
//
// The package holds no transport. Everybody may import it.
package harness
