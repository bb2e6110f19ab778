package shell

// perhapsRuns reports whether a program whose name is only partly known may be one
// that runs another.
func perhapsRuns(name Word) bool {
	for runner := range runners {
		if mayBe([]rune(name), []rune(runner)) {
			return true
		}
	}
	for _, other := range readers {
		if mayBe([]rune(name), []rune(other)) {
			return true
		}
	}
	return false
}

// readers are the programs beside runners into whose arguments this package looks.
var readers = []string{
	"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish", "csh", "tcsh", "yash", "posh", "lksh", "oksh",
	"at", "batch", "eval", "trap", "alias", ".", "source", "hash", "compgen", "complete", "git", "find", "fd", "fdfind",
	"let", "test", "[", "declare", "typeset", "export", "local", "readonly", "read", "printf", "unset",
}

// mayBe reports whether a name can become that text.
func mayBe(name, text []rune) bool {
	hole, again := -1, 0 // the last hole, and where the text behind it begins
	n, t := 0, 0
	for t < len(text) {
		switch {
		case n < len(name) && (name[n] == Hole || name[n] == Slot):
			hole, again = n, t
			n++
		case n < len(name) && name[n] == text[t]:
			n++
			t++
		case hole >= 0:
			again++
			n, t = hole+1, again
		default:
			return false
		}
	}
	for n < len(name) && (name[n] == Hole || name[n] == Slot) {
		n++
	}
	return n == len(name)
}
