// Package plans tells what a run would do, and why, without doing it: which
// sandbox it would use, who holds the policy's rules, what is missing. It starts
// plugins to ask them, and changes nothing.
//
// It decides nothing itself: what it tells is made of what the packages that act
// would look at. The CLI may import it; it prints nothing.
package plans
