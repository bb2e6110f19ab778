package proctree

import (
	"bytes"
	"strings"
)

const (
	// MarkProc is the variable that holds a process's own id.
	MarkProc = "SANDLOT_PROC"
	// MarkTree is the variable that holds the trees a process belongs to,
	// outermost first, separated by slashes. Whoever builds an environment
	// from scratch inside a tree passes it on.
	MarkTree = "SANDLOT_TREE"
)

// token names one tree on this machine: the directory's key, a dot, the id's
// hash. Two directories may use the same id.
func (f *Forest) token(id string) string {
	return f.key + "." + hash(id)[:16]
}

// marked returns env with the marks of id: MarkTree is extended, so that a
// tree inside a tree belongs to both.
func (f *Forest) marked(env []string, id string) []string {
	out := make([]string, 0, len(env)+2)
	chain := ""
	for _, e := range env {
		switch name, value, _ := strings.Cut(e, "="); name {
		case MarkProc:
		case MarkTree:
			chain = value + "/"
		default:
			out = append(out, e)
		}
	}
	return append(out, MarkProc+"="+id, MarkTree+"="+chain+f.token(id))
}

// marks are what is looked for in the environment of other processes.
type marks struct {
	id    string // exact value of MarkProc; empty: any
	token string // element of MarkTree; with a trailing dot: its beginning
}

type markMatch int

const (
	notMarked  markMatch = iota
	markedTree           // MarkTree names the tree: certain
	markedBare           // MarkProc alone: certain only in our own pid namespace
)

// match searches an environment block, NUL-separated as in /proc.
func (m marks) match(block []byte) markMatch {
	if !bytes.Contains(block, []byte("SANDLOT_")) {
		return notMarked
	}
	var bare, chained bool
	for entry := range bytes.SplitSeq(block, []byte{0}) {
		if v, ok := bytes.CutPrefix(entry, []byte(MarkTree+"=")); ok {
			chained = true
			for tok := range strings.SplitSeq(string(v), "/") {
				if tok == m.token || strings.HasSuffix(m.token, ".") && strings.HasPrefix(tok, m.token) {
					return markedTree
				}
			}
		}
		if v, ok := bytes.CutPrefix(entry, []byte(MarkProc+"=")); ok && m.id != "" && string(v) == m.id {
			bare = true
		}
	}
	if bare && !chained {
		return markedBare
	}
	return notMarked
}
