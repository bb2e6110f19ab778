package proctree

import "fmt"

// Exit is how the leader of a tree ended.
type Exit struct {
	Code   int  // exit code; -1 if a signal ended it
	Signal int  // number of that signal; 0: none
	OOM    bool // the kernel killed some process of the tree for want of memory; known with ScopeCgroup and its memory controller only
}

// Member is one live process of a tree.
type Member struct {
	PID     int
	State   byte   // as in /proc/<pid>/stat: R, S, D, T, Z
	Command string // command line, its NULs as spaces; the short name if it has none
}

// SurvivorsError says that processes live on after KILL, with the reason.
type SurvivorsError struct {
	Members []Member
	Cause   error // ctx's error, or what the kernel said to the signal
}

func (e *SurvivorsError) Error() string {
	s := fmt.Sprintf("kill process tree: %d left:", len(e.Members))
	for _, m := range e.Members {
		s += fmt.Sprintf(" %d (%s, state %c)", m.PID, m.Command, m.State)
	}
	return s + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *SurvivorsError) Unwrap() error { return e.Cause }
