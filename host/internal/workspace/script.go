package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// preamble is the first line that a shell of ours reads. Commands write to its
// real output; the shell itself, which may be told to trace or echo what it
// reads, to nowhere.
const preamble = "exec 8>&1 9>&2 >/dev/null 2>/dev/null\n"

// newWord is a word that no output holds by accident.
func newWord() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "sandlot-" + hex.EncodeToString(b[:])
}

// stepText is what the shell reads to run a command. The command stands in
// quotes, so that whatever is wrong with it can't swallow what follows; eval runs
// it in the shell itself, so that cd and export last. Its input is empty, and the
// shell's own streams are out of its reach. The words of the report are put
// together only when they are printed: a shell that shows what it runs mustn't
// end the step with it.
func stepText(command, word string) string {
	first, second := word[:len(word)/2], word[len(word)/2:]
	say := func(format, rest string) string {
		return fmt.Sprintf(`\command printf '%%s%%s%s' %s %s%s`, format, first, second, rest)
	}
	state := `\command pwd; ` + say("b", "") + `; export -p; `
	return "eval " + quote(command) + " </dev/null >&8 2>&9 8>&- 9>&-\n" +
		"sandlot_code=$?; " + say(`a %s\n`, ` "$sandlot_code"`) + " >&9; { " + say(`a %s\n`, ` "$sandlot_code"`) + "; " +
		`if [ "$sandlot_code" = 0 ]; then ` + state + say("c", "") + "; " + state + say(`d\n`, "") + "; fi; } >&8\n"
}

// stateText brings a shell into a state.
func stateText(s state) string {
	return fmt.Sprintf("cd -- %s || { \\command printf '%%s\\n' %s >&9; exit 1; }\n", quote(s.dir), quote("the folder "+s.dir+" of the step before can't be entered any more")) +
		"eval " + quote(s.exports) + "\n"
}

// quote makes one word of the shell's of any text but NUL.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
