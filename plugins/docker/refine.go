package main

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// refinement is what an engine's words mean beyond their class. The engine has no
// codes for these; the words are those of its versions since 19.03.
type refinement struct {
	words string
	class sandbox.Class
	hint  string
}

var refinements = []refinement{
	{"no space left on device", sandbox.Exhausted, "the engine's disk is full: see `docker system df`, and free space with `sandlot gc` or `docker system prune`"},
	{"permission denied while trying to connect", sandbox.Denied, "this user may not use the engine's socket: join the group docker (and log in again), or set DOCKER_HOST to an engine of your own"},
	{"connect: permission denied", sandbox.Denied, "this user may not use the engine's socket: join the group docker (and log in again), or set DOCKER_HOST to an engine of your own"},
	{"is not available", sandbox.Unavailable, ""},
	{"no basic auth credentials", sandbox.Unauthenticated, "log in to the registry with `docker login`"},
	{"unauthorized", sandbox.Unauthenticated, "the registry doesn't accept the credentials: log in again with `docker login`"},
	{"authentication required", sandbox.Unauthenticated, "log in to the registry with `docker login`"},
	{"denied: requested access", sandbox.Denied, "the registry has no such image, or doesn't show it to this account: check its name, and `docker login`"},
	{"pull access denied", sandbox.Denied, "the registry has no such image, or doesn't show it to this account: check its name, and `docker login`"},
	{"manifest unknown", sandbox.NotFound, "the registry has no image of that tag: check the name"},
	{"not found: manifest", sandbox.NotFound, "the registry has no image of that tag: check the name"},
	{"no matching manifest for", sandbox.NotFound, "the image isn't made for this platform: choose another image, or set platform"},
	{"toomanyrequests", sandbox.RateLimited, "wait, or `docker login` for a higher limit"},
	{"exec format error", sandbox.Invalid, "the image is for another kind of machine than the engine's: choose one for the engine's platform"},
	{"no such host", sandbox.Unavailable, "the registry's name can't be resolved: check it and the engine's network"},
	{"connection refused", sandbox.Unavailable, "nothing answers there: check the address and that it runs"},
	{"port is already allocated", sandbox.Conflict, "another program listens at that port of this machine"},
}

// refine gives an engine's error the class of its words, and a hint.
func refine(e *sandbox.Error) *sandbox.Error {
	text := strings.ToLower(e.Message)
	for _, r := range refinements {
		if strings.Contains(text, r.words) {
			e.Class = r.class
			if r.hint != "" {
				e.Hint = r.hint
			}
			break
		}
	}
	return e
}
