package cli

import (
	"fmt"
	"strings"
)

// A key pressed in a shell runs nothing but sandlot's own __complete. The scripts as
// they are generated evaluate the words of the line: in bash and zsh as they are
// typed, with command substitutions; in fish without the quotes that keep a file's
// name one word, so that a file could be named to be run.
const (
	noSubstitution = `    case "${requestComp}" in
        *'$('* | *'` + "`" + `'* | *'<('* | *'>('* | *'=('*) return ;;
    esac
`
	bashEval = "    # Use eval to handle any environment variables and such\n    out=$(eval \"${requestComp}\" 2>/dev/null)\n"
	zshEval  = "    # Use eval to handle any environment variables and such\n    out=$(eval ${requestComp} 2>/dev/null)\n"

	fishWords = "    set -l args (commandline -opc)\n"
	fishSafe  = "    set -l args (string escape -- (string replace -r '^~/' \"$HOME/\" -- (commandline -opc)))\n"
)

// safely has a shell's script take the words of the line as words. An error says
// that the script isn't the one that this was written for.
func safely(shell, script string) (string, error) {
	var old, safe string
	switch shell {
	case "bash":
		old, safe = bashEval, noSubstitution+bashEval
	case "zsh":
		old, safe = zshEval, noSubstitution+zshEval
	case "fish":
		old, safe = fishWords, fishSafe
	default:
		return script, nil
	}
	if strings.Count(script, old) != 1 {
		return "", fmt.Errorf("the script for %s evaluates words in another way than is known", shell)
	}
	return strings.Replace(script, old, safe, 1), nil
}
