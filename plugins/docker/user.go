package main

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
)

// ids reads a user as Docker writes one: a name or a number, with or without a
// group after a colon. Names are those of the container's own tables.
func (p *provider) ids(ctx context.Context, id, name string) (uid, gid int, err error) {
	passwd, err := p.table(ctx, id, "/etc/passwd")
	if err != nil {
		return 0, 0, err
	}
	name, group, _ := strings.Cut(name, ":")
	number, err := strconv.Atoi(name)
	numeric := err == nil
	uid = number
	known := false
	for _, line := range passwd { // name:password:uid:gid:...
		if len(line) < 4 || line[0] != name && (!numeric || line[2] != name) {
			continue
		}
		uid, _ = strconv.Atoi(line[2])
		gid, _ = strconv.Atoi(line[3])
		known = true
		break
	}
	if !known && !numeric {
		return 0, 0, invalid("user", "the image has no user %s: name one of its /etc/passwd, or a number", name)
	}
	if group == "" {
		return uid, gid, nil
	}
	if gid, err := strconv.Atoi(group); err == nil {
		return uid, gid, nil
	}
	groups, err := p.table(ctx, id, "/etc/group")
	if err != nil {
		return 0, 0, err
	}
	for _, line := range groups { // name:password:gid:...
		if len(line) >= 3 && line[0] == group {
			gid, err := strconv.Atoi(line[2])
			return uid, gid, err
		}
	}
	return 0, 0, invalid("user", "the image has no group %s: name one of its /etc/group, or a number", group)
}

const maxTable = 1 << 20

// table reads one of a container's tables of colons; one that isn't there is
// empty.
func (p *provider) table(ctx context.Context, id, name string) ([][]string, error) {
	for range 5 { // links from one to the next
		packed, _, err := p.engine.CopyFromContainer(ctx, id, name)
		if errdefs.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		content, link, err := only(packed)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if link == "" {
			var table [][]string
			for line := range strings.Lines(content) {
				table = append(table, strings.Split(strings.TrimRight(line, "\n"), ":"))
			}
			return table, nil
		}
		if !path.IsAbs(link) {
			link = path.Join(path.Dir(name), link)
		}
		name = link
	}
	return nil, nil
}

// only reads the one file, or where its link goes, of a tar.
func only(packed io.ReadCloser) (content, link string, err error) {
	defer func() { _ = packed.Close() }()
	in := tar.NewReader(packed)
	head, err := in.Next()
	if err != nil {
		return "", "", err
	}
	if head.Typeflag == tar.TypeSymlink {
		return "", head.Linkname, nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxTable))
	return string(data), "", err
}
