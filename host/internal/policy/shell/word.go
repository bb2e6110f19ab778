package shell

import "strings"

// Word is one word as the shell would make it: quotes and escapes are gone, and a
// rune of this package stands where the text isn't known or could be mistaken.
type Word string

const (
	// Hole stands for any text, also none, also with several words in it: an
	// unquoted variable, substitution or pattern of files.
	Hole = '\uE000'
	// Slot stands for any text within one word: the same in quotes.
	Slot = '\uE001'
)

// literal makes text a word of its own. A rune that this package has a meaning
// for becomes a Hole, which is the wider of them.
func literal(text string) Word {
	return Word(strings.ReplaceAll(text, string(Slot), string(Hole)))
}

// Known reports whether the whole word is known.
func (w Word) Known() bool {
	return !strings.ContainsRune(string(w), Hole) && !strings.ContainsRune(string(w), Slot)
}

// option is the letter of a short option, which may have a value in the same
// word; empty for other words.
func (w Word) option() string {
	if len(w) < 2 || w[0] != '-' || w[1] == '-' {
		return ""
	}
	return string(w[1:2])
}

// Base is the word without the folders before its last name.
func (w Word) Base() Word {
	return w[strings.LastIndexByte(string(w), '/')+1:]
}
