package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// holds looks inside a container whether the engine holds it to what would harm
// if it didn't: a closed network, and what nobody is to write to. An engine may
// ignore what it doesn't know, and what lies below a read-only folder may be
// mounted by itself.
func (p *provider) holds(ctx context.Context, sb sandbox.Sandbox, n sandbox.Network) error {
	if !n.Deny && !p.config.protects() {
		return nil
	}
	const doing = "look at what the container is held to"
	out, err := sandbox.Exec(ctx, sb, sandbox.Command{ID: "look-" + rand.Text(), Argv: []string{guestProgram, "look"}})
	if err != nil {
		return classify(doing, err)
	}
	var seen guest.Surroundings
	if err := json.Unmarshal(out.Stdout, &seen); err != nil || !out.Exit.Ok() {
		return sandbox.Errorf(sandbox.Internal, "%s: %+v %s", doing, out.Exit, bytes.TrimSpace(out.Stderr))
	}
	if err := closed(seen, n); err != nil {
		return err
	}
	return p.config.protected(seen.Mounts)
}

func (c config) protects() bool {
	for _, m := range c.Mounts {
		if m.ReadOnly {
			return true
		}
	}
	return c.ReadOnly
}

// protected reports a mount that is to be read-only and can be written to, or one
// below it that nobody has asked for.
func (c config) protected(mounts []guest.Mount) error {
	top := map[string]bool{} // the uppermost of each place: whether it is read-only
	for _, m := range mounts {
		top[m.Target] = m.ReadOnly
	}
	if readOnly, known := top["/"]; c.ReadOnly && known && !readOnly {
		return unprotected("read_only", "/", "")
	}
	for i, m := range c.Mounts {
		target := path.Clean(m.Target)
		if !m.ReadOnly {
			continue
		}
		at := fmt.Sprintf("mount[%d].read_only", i)
		if readOnly, known := top[target]; !known || !readOnly {
			return unprotected(at, target, "")
		}
		for place, readOnly := range top {
			if place != target && under(place, target) && !readOnly && !c.asked(place, target) {
				return unprotected(at, target, place)
			}
		}
	}
	return nil
}

// asked reports whether the configuration itself mounts something between a place
// and the mount above it.
func (c config) asked(place, above string) bool {
	nearer := func(target string) bool {
		target = path.Clean(target)
		return target != above && under(target, above) && under(place, target)
	}
	for _, m := range c.Mounts {
		if nearer(m.Target) {
			return true
		}
	}
	for folder := range c.Tmpfs {
		if nearer(folder) {
			return true
		}
	}
	return c.ReadOnly && (nearer(c.Workdir) || nearer("/tmp"))
}

func unprotected(attribute, target, below string) error {
	e := &sandbox.Error{
		Class: sandbox.Unsupported, Provider: "docker", Attribute: attribute,
		Message: fmt.Sprintf("%s is to be read-only, and the engine lets the container write to it", target),
		Hint:    "update the engine, or say read_only = false",
	}
	if below != "" {
		e.Message = fmt.Sprintf("%s is to be read-only, and the container can write to %s: on the engine's machine something is mounted at that place, which the engine leaves as it is", target, below)
		e.Hint = "mount " + strings.TrimPrefix(below, target+"/") + " by a block of its own, or say read_only = false"
	}
	return e
}
