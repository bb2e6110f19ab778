// Package e2e tests the whole through the built programs: bin/sandlot, its
// plugins as processes of their own, and real agents. PATH holds nothing but
// these, git and sh, so that nothing of the machine helps by accident.
package e2e
