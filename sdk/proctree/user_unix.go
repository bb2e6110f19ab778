//go:build linux || darwin

package proctree

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// credential resolves Spec.User; nil means no change.
func credential(name string) (*syscall.Credential, error) {
	if name == "" {
		return nil, nil
	}
	id, group, hasGroup := strings.Cut(name, ":")
	u, err := user.Lookup(id)
	if err != nil {
		if u, err = user.LookupId(id); err != nil {
			uid, numErr := strconv.ParseUint(id, 10, 32)
			if numErr != nil || !hasGroup {
				return nil, fmt.Errorf("%w: user %q: %w", ErrInvalid, name, err)
			}
			u = &user.User{Uid: strconv.FormatUint(uid, 10)}
		}
	}
	if hasGroup {
		u.Gid = group
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("%w: user %q has no numeric ids", ErrInvalid, name)
	}
	if int(uid) == os.Geteuid() && int(gid) == os.Getegid() {
		return nil, nil
	}
	cred := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if u.Username != "" {
		ids, err := u.GroupIds()
		if err != nil {
			return nil, fmt.Errorf("find groups of user %q: %w", name, err)
		}
		for _, g := range ids {
			if n, err := strconv.ParseUint(g, 10, 32); err == nil {
				cred.Groups = append(cred.Groups, uint32(n))
			}
		}
	}
	return cred, nil
}
