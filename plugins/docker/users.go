package main

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// A command of another user than the container's runs under a guest of that
// user's: the engine starts it, by the same rules as the container's own, and needs
// no rights of the container's user for it. A guest that is root could become
// another user by itself, but not where the container may not do that (cap_drop),
// and one that isn't root never could: this is one way for all.

// usersFolder has a folder of each user who has run something; each makes its own.
const usersFolder = stateFolder + "/users"

var userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?(:[A-Za-z0-9_][A-Za-z0-9_.-]*\$?)?$`)

// as gives the guest of a command's user.
func (b *box) as(ctx context.Context, cmd sandbox.Command) (sandbox.Sandbox, error) {
	if cmd.User == "" || cmd.User == b.info.User {
		return b.guest(ctx)
	}
	if !userName.MatchString(cmd.User) {
		return nil, noUser(cmd, "no user has such a name")
	}
	sb, err := b.linkOf(cmd.User).sandbox(ctx)
	if err != nil && strings.Contains(err.Error(), "unable to find ") { // the engine's words, user or group
		return nil, noUser(cmd, err.Error())
	}
	if err != nil {
		return nil, b.because(ctx, err)
	}
	return sb, nil
}

func noUser(cmd sandbox.Command, why string) error {
	return &sandbox.Error{
		Class: sandbox.Invalid, Provider: "docker",
		Message: "start process " + cmd.ID + " as user " + cmd.User + ": " + why,
		Hint:    "a user is a name or a number, with or without a group after a colon; names are those of the container's /etc/passwd and /etc/group",
	}
}

// linkOf gives a user's link.
func (b *box) linkOf(user string) *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.others[user]
	if l == nil {
		l = newLink(b.provider.engine, b.id, append(b.provider.guestCall(), user), b.link.env)
		l.user = user
		if b.others == nil {
			b.others = map[string]*link{}
		}
		b.others[user] = l
	}
	return l
}

// mostUsers bounds how many guests are begun for what the container says: who is
// root in it may have made any number of folders.
const mostUsers = 16

// rest are the guests of the other users that ever ran something, also by
// another plugin process: the container knows them.
func (b *box) rest(ctx context.Context) ([]sandbox.Sandbox, error) {
	entries, err := b.Files().List(ctx, usersFolder)
	if errors.Is(err, sandbox.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []sandbox.Sandbox
	for _, e := range entries[:min(len(entries), mostUsers)] {
		if e.Kind != sandbox.KindDir || !userName.MatchString(e.Name) {
			continue
		}
		sb, err := b.linkOf(e.Name).sandbox(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, sb)
	}
	return all, nil
}
