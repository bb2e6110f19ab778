//go:build linux

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
)

func TestWhichMountsAreReadOnly(t *testing.T) {
	got, err := readMounts(`1 0 0:1 / / rw,relatime - overlay overlay rw,lowerdir=/ro
2 1 0:2 / /data ro,relatime master:1 - ext4 /dev/sda rw
3 2 0:3 / /data/in\040it rw - squashfs /dev/loop0 ro,errors=continue
4 1 0:4 / /back\134slash rw shared:2 master:1 - tmpfs ro rw
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []guest.Mount{{Target: "/"}, {Target: "/data", ReadOnly: true}, {Target: "/data/in it", ReadOnly: true}, {Target: `/back\slash`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := readMounts("what is this\n"); err == nil {
		t.Error("a line that can't be read passed for none")
	}
}
