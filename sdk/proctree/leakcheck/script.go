package leakcheck

// Names of the heartbeats that Script makes.
const (
	Leader     = "leader"     // the started process itself
	Child      = "child"      // in the leader's session
	Grandchild = "grandchild" // in a session of its own, its parent waits for it
	Stubborn   = "stubborn"   // ignores TERM, HUP and INT
	Orphan     = "orphan"     // in a session of its own, its parent has left
	Planted    = "planted"    // like Orphan, and has cleared its environment: a leak on purpose
)

// Names lists what Script starts without Planted.
func Names() []string { return []string{Leader, Child, Grandchild, Stubborn, Orphan} }

// Script is a program for `sh -c SCRIPT sh DIR [planted]`, for dash, bash and
// BusyBox: a tree of every kind of process that a kill tends to miss, each
// with its heartbeat file in DIR, which must exist. With a second argument it
// starts one that only a cgroup or a container holds.
const Script = `
beat='while :; do printf . >>"$0" || exit; sleep 0.01; done'
nest='setsid sh -c "$1" "$0" & wait'
stubborn='trap "" TERM HUP INT; while :; do printf . >>"$0" || exit; sleep 0.01; done'
sh -c "$beat" "$1/child" &
sh -c "$nest" "$1/grandchild" "$beat" &
sh -c "$stubborn" "$1/stubborn" &
(setsid sh -c "$beat" "$1/orphan" &)
if [ -n "$2" ]; then (env -i PATH="$PATH" setsid sh -c "$beat" "$1/planted" &); fi
exec sh -c "$beat" "$1/leader"
`
