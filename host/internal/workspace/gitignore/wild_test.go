package gitignore

import (
	"strings"
	"testing"
)

// TestAHostilePatternCostsLittle would take years with a matcher that goes back
// on its steps.
func TestAHostilePatternCostsLittle(t *testing.T) {
	for _, glob := range []string{strings.Repeat("*a", 60) + "b", strings.Repeat("**/a", 60) + "b", strings.Repeat("*", 3000) + "b"} {
		if wild(glob, strings.Repeat("a/", 500)+strings.Repeat("a", 500), true) || wild(glob, strings.Repeat("a", 1000), false) {
			t.Errorf("%.10s... fits", glob)
		}
	}
}
