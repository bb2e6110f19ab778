package harnesstest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

func TestAGoldenFileFindsEachDifference(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.golden")
	record := func() *harnesstest.Record {
		return &harnesstest.Record{
			Payloads: [][]byte{[]byte(`{"a":1}`), []byte(`{"a":2}`)},
			Asks:     []*harness.Ask{{ID: "r-1", Kind: harness.AskTool, Target: "x", Title: "y"}},
			Result:   &harness.Result{Reason: harness.ReasonOK},
		}
	}
	harnesstest.Golden(t, path, record(), true)
	harnesstest.Golden(t, path, record(), false)
	for _, c := range []struct {
		name  string
		spoil func(*harnesstest.Record)
		want  string
	}{
		{"another event", func(r *harnesstest.Record) { r.Payloads[1] = []byte(`{"a":3}`) }, `-{"a":2}`},
		{"an event less", func(r *harnesstest.Record) { r.Payloads = r.Payloads[:1] }, `-{"a":2}`},
		{"another ask", func(r *harnesstest.Record) { r.Asks[0].Target = "z" }, `+ask r-1 tool "z"`},
		{"another result", func(r *harnesstest.Record) { r.Result.Session = "s" }, `"Session": "s"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record()
			c.spoil(r)
			got := failures(t, func(f harnesstest.T) { harnesstest.Golden(f, path, r, false) })
			if !strings.Contains(got, c.want) {
				t.Errorf("it said %q, want %q in it", got, c.want)
			}
		})
	}
	got := failures(t, func(f harnesstest.T) { harnesstest.Golden(f, path+".none", record(), false) })
	if !strings.Contains(got, "read golden file") {
		t.Errorf("a file that isn't there: it said %q", got)
	}
}
