package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

// environment is a set of variables. Where fold is true, as on Windows, names
// that differ in case only are one variable; the last spelling counts.
type environment struct {
	vars map[string]variable // by name, in upper case with fold
	fold bool
}

type variable struct{ name, value string }

// newEnvironment takes a list as os.Environ returns it. What isn't NAME=value is
// left out: Windows' "=C:=C:\folder" and what no shell could have set.
func newEnvironment(environ []string, fold bool) environment {
	e := environment{vars: make(map[string]variable, len(environ)), fold: fold}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			e.set(name, value)
		}
	}
	return e
}

func (e environment) key(name string) string {
	if e.fold {
		return strings.ToUpper(name)
	}
	return name
}

func (e environment) set(name, value string) { e.vars[e.key(name)] = variable{name, value} }

// with is a copy with variables set over it; later ones win.
func (e environment) with(over ...map[string]string) environment {
	e.vars = maps.Clone(e.vars)
	for _, o := range over {
		for _, name := range slices.Sorted(maps.Keys(o)) {
			e.set(name, o[name])
		}
	}
	return e
}

// only is what of e passes.
func (e environment) only(passes func(name string) bool) environment {
	e.vars = maps.Clone(e.vars)
	maps.DeleteFunc(e.vars, func(_ string, v variable) bool { return !passes(v.name) })
	return e
}

// entries is the environment as a process gets it.
func (e environment) entries() []string {
	list := make([]string, 0, len(e.vars))
	for _, key := range slices.Sorted(maps.Keys(e.vars)) {
		v := e.vars[key]
		list = append(list, v.name+"="+v.value)
	}
	return list
}

// matches reports whether a name is one of the patterns.
func (e environment) matches(patterns []string, name string) bool {
	name = e.key(name)
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, star := strings.CutSuffix(e.key(p), "*")
		return name == prefix && !star || star && strings.HasPrefix(name, prefix)
	})
}

// inherited is what processes get of the environment of this program: without
// what the host and the SDK told this program, without what makes an agent
// think that it runs inside another, and then as the configuration says. The
// mark of the tree that this program itself belongs to stays, so that its
// processes die with that.
func (c config) inherited(host environment) environment {
	wanted := slices.Concat(needed(host.fold), c.InheritEnv)
	return host.only(func(name string) bool {
		switch {
		case name == proctree.MarkTree:
			return true
		case host.matches([]string{"SANDLOT_*", "PLUGIN_*"}, name),
			host.matches(nested(), name) && !host.matches(settings(), name),
			host.matches(c.ScrubEnv, name),
			c.Home == homePrivate && host.matches(homes(), name):
			return false
		}
		return c.InheritEnv == nil || host.matches(wanted, name)
	})
}
