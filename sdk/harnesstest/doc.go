// Package harnesstest is the conformance suite of harnesses: it plays the host
// for a harness that is yours.
//
// [Replay] gives captured output of the agent to the harness again and again,
// sliced differently each time, and compares the events. [Endings] tries the
// ends a run can come to. [Script] drives a real agent process on this machine.
//
//	func TestConformance(t *testing.T) {
//		lines, err := os.ReadFile("testdata/edit.ndjson")
//		...
//		open := harnesstest.Pipe(t, myHarness{})
//		harnesstest.Replay(t, open, harness.Start{Run: "r", Prompt: "edit it"}, lines, harnesstest.Options{})
//		harnesstest.Endings(t, open, harness.Start{Run: "r", Prompt: "edit it"}, harnesstest.Options{})
//	}
//
// A [Transcript] has both directions of a session with a real agent. [Retelling]
// gives it to the harness as if that were the client, whatever ids it counts; its
// Output is then something to Replay, and [Golden] keeps what came of it.
//
// open says how a session is reached. [Pipe] puts a real connection before a
// harness in this process; [Binary] starts the plugin's program. [Direct] has no
// wire at all: it is for fuzzing and for a debugger.
//
// The functions take a [T], which *testing.T is. To get a subtest for each, call
// them in t.Run; to use them without the testing package, implement T: Fatalf
// must not return.
//
// The package knows nothing of any one agent. Plugin authors import it in tests.
package harnesstest
