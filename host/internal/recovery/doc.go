// Package recovery makes a provider outlive the death of its plugin process.
//
// [New] starts a plugin and returns a sandbox.Provider. When the process dies, the
// next call starts another, configures it, and ends what the dead one had open:
// each process that isn't detached. A call that may be made twice and was under
// way is made once more; any other fails, with class Unavailable and the plugin's
// end in words, after what it may have left was ended:
//
//	made once more  Create, Restore and Fork (with a key), Resume, Destroy, List,
//	                Kill, Alive, Port, KeepAlive, Snapshots, DeleteSnapshot; Stat, List, Mkdir, Remove, Chmod; Read until it is open;
//	                Write and Push of what can be rewound; Pull before its first byte
//	fails           Start, Exec, Snapshot, a Wait that lost its process, Rename, a Read under way
//
// What is begun anew as a whole, as a sandbox with its setup is, goes through
// [Provider.Whole]. After three new starts that didn't last (see [Pauses]) the
// plugin is given up.
//
//	p, err := engine.Provider(ctx, spec) // a *recovery.Provider
//	defer p.Close()
//	sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: id})
//	out, err := sandbox.Exec(ctx, sb, cmd) // on err nothing of cmd runs any more
//
// A run's driver attempts its run again as a whole instead: it has a log to read
// again, too.
//
// The runs and the command line import it; it knows of the SDK's sandboxes only.
package recovery
