package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Change is one thing in which two specs differ that counts in a sandbox's
// identity, in the words of the language.
type Change struct {
	What string // e.g. `provider image`, `setup step 2`, `env NODE_ENV`, `source ref`
	How  string // "changed", "added" or "removed"
	Old  string // as one would write it; empty where it isn't there, or isn't told
	New  string // as Old
}

// String is the change as a line, such as `setup step 2 changed: "a" -> "b"`.
func (c Change) String() string {
	text := c.What + " " + c.How
	switch {
	case c.Old != "" && c.New != "":
		text += ": " + c.Old + " -> " + c.New
	case c.Old != "" || c.New != "":
		text += ": " + cmp.Or(c.Old, c.New)
	}
	return text
}

// Changes are the reasons for which two specs of one thread give different
// sandboxes; none if they give the same. Values of environment variables aren't
// told, for they may be private.
func Changes(before, now *Spec) ([]Change, error) {
	var all []Change
	add := func(what, before, now string) {
		if before != now {
			all = append(all, change(what, before, now))
		}
	}
	add("project folder", quote(before.Project), quote(now.Project))
	add("sandbox block", quote(before.Block), quote(now.Block))
	if before.Provider.Type != now.Provider.Type {
		add("provider type", quote(before.Provider.Type), quote(now.Provider.Type))
	} else {
		old, err := attributes(before.Provider.Identity)
		if err != nil {
			return nil, fmt.Errorf("compare providers: %w", err)
		}
		fresh, err := attributes(now.Provider.Identity)
		if err != nil {
			return nil, fmt.Errorf("compare providers: %w", err)
		}
		all = append(all, differences("provider ", old, fresh)...)
	}
	add("network", reachOf(before), reachOf(now))
	more, err := workspaceChanges(before, now)
	return append(all, more...), err
}

// reachOf is as much of the network as a sandbox depends on.
func reachOf(s *Spec) string {
	if s.Policy.Network.Default != "deny" {
		return "open"
	}
	hosts := slices.Sorted(slices.Values(s.Policy.Network.AllowHosts))
	return strings.Join(append([]string{"denied"}, hosts...), " ")
}

// workspaceChanges compares what keyForm takes of the two workspaces. What isn't
// known here by name is compared by the names that it has in JSON, which are
// those of the language.
func workspaceChanges(before, now *Spec) ([]Change, error) {
	var trees [2]map[string]any
	for i, s := range []*Spec{before, now} {
		form, err := s.keyForm("")
		if err != nil {
			return nil, err
		}
		w := form.Workspace
		w.Env, w.Secrets, w.Setup = nil, nil, nil // told below
		data, err := json.Marshal(w)
		if err == nil {
			trees[i], err = attributes(data)
		}
		if err != nil {
			return nil, fmt.Errorf("compare workspaces: %w", err)
		}
	}
	all := differences("", trees[0], trees[1])
	all = append(all, setupChanges(before.Workspace.Setup, now.Workspace.Setup)...)
	old, fresh := before.Workspace.Env, now.Workspace.Env
	for _, name := range names(old, fresh) {
		a, was := old[name]
		b, is := fresh[name]
		if was != is || was && !slices.Equal(a.Parts, b.Parts) {
			all = append(all, Change{What: "env " + name, How: how(was, is)})
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(before.Workspace.Secrets, now.Workspace.Secrets)))) {
		was, is := slices.Contains(before.Workspace.Secrets, name), slices.Contains(now.Workspace.Secrets, name)
		if was != is {
			all = append(all, Change{What: "secret " + name, How: how(was, is)})
		}
	}
	return all, nil
}

// setupChanges compares setup step by step, numbered as the output of setup
// numbers them. Steps at the beginning and at the end that are the same are left out.
func setupChanges(before, now []Setup) []Change {
	old, fresh := steps(before), steps(now)
	first := 0
	for first < len(old) && first < len(fresh) && old[first] == fresh[first] {
		first++
	}
	if first == len(old) && first == len(fresh) {
		if !slices.EqualFunc(before, now, func(a, b Setup) bool { return slices.Equal(a.Run, b.Run) }) {
			return []Change{{What: "the division of setup into blocks", How: "changed"}}
		}
		return nil
	}
	last := 0
	for last < len(old)-first && last < len(fresh)-first && old[len(old)-1-last] == fresh[len(fresh)-1-last] {
		last++
	}
	old, fresh = old[first:len(old)-last], fresh[first:len(fresh)-last]
	var all []Change
	for i := range max(len(old), len(fresh)) {
		c := Change{What: "setup step " + strconv.Itoa(first+i+1), How: how(i < len(old), i < len(fresh))}
		if i < len(old) {
			c.Old = quote(old[i])
		}
		if i < len(fresh) {
			c.New = quote(fresh[i])
		}
		all = append(all, c)
	}
	return all
}

func steps(blocks []Setup) []string {
	var all []string
	for _, b := range blocks {
		all = append(all, b.Run...)
	}
	return all
}

// differences compares two trees of attributes, deep.
func differences(prefix string, before, now map[string]any) []Change {
	var all []Change
	for _, name := range names(before, now) {
		a, was := before[name]
		b, is := now[name]
		inA, blockA := block(a)
		inB, blockB := block(b)
		if (blockA || !was) && (blockB || !is) {
			all = append(all, differences(prefix+name+" ", inA, inB)...)
			continue
		}
		old, fresh := written(a), written(b)
		if old != fresh {
			all = append(all, change(prefix+name, old, fresh))
		}
	}
	return all
}

// block is what is nested in a tree, and not a value.
func block(v any) (map[string]any, bool) {
	tree, ok := v.(map[string]any)
	if _, value := secretNames(tree); value {
		return nil, false
	}
	return tree, ok
}

func change(what, before, now string) Change {
	return Change{What: what, How: how(before != "", now != ""), Old: before, New: now}
}

func how(was, is bool) string {
	switch {
	case !was:
		return "added"
	case !is:
		return "removed"
	}
	return "changed"
}

func names[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func attributes(data json.RawMessage) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree map[string]any
	err := dec.Decode(&tree)
	return tree, err
}

// secretNames are the secrets of a value that may hold some: as a [Value] writes
// itself, or as an identity stands for it.
func secretNames(tree map[string]any) (names []string, ok bool) {
	if len(tree) != 1 {
		return nil, false
	}
	list, named := tree["secrets"].([]any)
	for _, name := range list {
		text, _ := name.(string)
		names = append(names, text)
	}
	parts, whole := tree["parts"].([]any)
	for _, part := range parts {
		p, _ := part.(map[string]any)
		if text, ok := p["secret"].(string); ok {
			names = append(names, text)
		}
	}
	return names, named || whole
}

// written is a value as one would write it in the language, cut where it is
// long; empty for none.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return quote(v)
	case map[string]any:
		if names, ok := secretNames(v); ok {
			for i := range names {
				names[i] = "secret." + names[i]
			}
			return strings.Join(names, ", ")
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return clipped(string(data))
}

func quote(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(clipped(s))
}

// clipped is text of which nobody needs more to see what is meant.
func clipped(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
