package proctree

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	UID     int    // of the user whose rights it has; -1 where unknown
	Denied  bool   // in a SurvivorsError: the system doesn't let us signal it
}

// Program is the name of the program alone: printable, at most 40 characters,
// and without the arguments, which may hold secrets.
func (m Member) Program() string {
	name, _, _ := strings.Cut(m.Command, " ")
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name[strings.LastIndexByte(name, '/')+1:])
	if runes := []rune(name); len(runes) > 40 {
		name = string(runes[:40])
	}
	return cmp.Or(name, "?")
}

// told is how many survivors an error names.
const told = 5

// SurvivorsError says that processes live on after KILL, with the reason. Its
// text names pids and programs, no arguments.
type SurvivorsError struct {
	Members []Member
	Cause   error // ctx's error, or what the kernel said to the signal
}

func (e *SurvivorsError) Error() string {
	var list []string
	for i, m := range e.Members {
		if i == told {
			list = append(list, fmt.Sprintf("and %d more", len(e.Members)-told))
			break
		}
		why := fmt.Sprintf("in state %c", m.State)
		switch {
		case m.Denied:
			why = fmt.Sprintf("it runs as uid %d and can't be signalled", m.UID)
		case m.State == 'D':
			why += ", stuck in the kernel or frozen"
		}
		list = append(list, fmt.Sprintf("%d %s (%s)", m.PID, m.Program(), why))
	}
	noun := "processes"
	if len(e.Members) == 1 {
		noun = "process"
	}
	return fmt.Sprintf("%d %s couldn't be ended: %s: %v", len(e.Members), noun, strings.Join(list, ", "), e.Cause)
}

// Unwrap returns the cause.
func (e *SurvivorsError) Unwrap() error { return e.Cause }
