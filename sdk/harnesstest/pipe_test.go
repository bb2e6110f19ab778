package harnesstest_test

import (
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

func TestAGoodHarnessPassesOverTheWire(t *testing.T) {
	open := harnesstest.Pipe(t, good())
	harnesstest.Replay(t, open, start, []byte(output), harnesstest.Options{})
	harnesstest.Endings(t, open, start, harnesstest.Options{})
}
