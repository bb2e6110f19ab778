package gitsource_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

func TestAMirrorOfManyPacksBecomesOneOfOne(t *testing.T) {
	t.Parallel()
	for depth, pattern := range []string{"*.git", "*-1.git"} { // the whole, and a part
		r, h := newRepo(t), newHost(t, nil)
		r.commit("one", "f", "x")
		remote := gitsource.Remote{URL: "file://" + r.dir, Ref: "main", Depth: depth}
		h.fetch(remote)
		for _, mirror := range glob(t, h.cache, pattern) {
			for i := range 45 {
				object, err := tryGit(t, mirror, fmt.Sprint("object ", i), "hash-object", "-w", "--stdin")
				if err != nil {
					t.Fatal(object)
				}
				if out, err := tryGit(t, mirror, object, "pack-objects", "-q", "objects/pack/pack"); err != nil {
					t.Fatal(out)
				}
			}
		}
		r.commit("more", "f", fmt.Sprint("more ", depth))
		dir := h.fetch(remote)
		git(t, dir, "fsck")
		h.fetch(remote)
		for _, mirror := range glob(t, h.cache, pattern) {
			if packs := glob(t, mirror, "objects/pack/*.pack"); len(packs) != 1 {
				t.Errorf("%s has %d packs", filepath.Base(mirror), len(packs))
			}
		}
	}
}
