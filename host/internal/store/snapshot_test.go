package store

import (
	"testing"
	"time"
)

var snapshotChecks = map[string]check{
	"a snapshot is put, listed and forgotten": func(t *testing.T, open func() *Store) {
		s, ctx := open(), t.Context()
		b := SnapshotRow{
			ID: "i1", Type: "docker", Kind: SnapshotHand, SetupKey: "s1", Key: "k1", Source: "src", Block: "dev", Thread: "t", Label: "a label",
			Sandbox: "c1", Size: -1, Created: now().Add(-time.Hour), Config: []byte(`{"image":"x"}`), Spec: []byte(`{}`),
		}
		must(t, s.PutSnapshot(ctx, b))
		same(t, "all", got[[]SnapshotRow](t)(open().Snapshots(ctx)), []SnapshotRow{b})
		b.Label, b.Size = "another", 12
		must(t, s.PutSnapshot(ctx, b))
		same(t, "all after a change", got[[]SnapshotRow](t)(s.Snapshots(ctx)), []SnapshotRow{b})
		must(t, s.DeleteSnapshot(ctx, "e2b", "i1"))
		same(t, "all after another type's went", len(got[[]SnapshotRow](t)(s.Snapshots(ctx))), 1)
		must(t, s.DeleteSnapshot(ctx, "docker", "i1"))
		must(t, s.DeleteSnapshot(ctx, "docker", "i1"))
		same(t, "all after it went", len(got[[]SnapshotRow](t)(s.Snapshots(ctx))), 0)
		if err := s.PutSnapshot(ctx, SnapshotRow{ID: "i2", Kind: "odd"}); err == nil {
			t.Error("put one of an unknown kind")
		}
	},
	"the newest of a setup key comes first": func(t *testing.T, open func() *Store) {
		s := open()
		for id, b := range map[string]SnapshotRow{
			"old":     {SetupKey: "s", Kind: SnapshotSetup, Created: now().Add(-2 * time.Hour)},
			"new":     {SetupKey: "s", Kind: SnapshotSetup, Created: now().Add(-time.Hour)},
			"by hand": {SetupKey: "s", Kind: SnapshotHand},
			"other":   {SetupKey: "x", Kind: SnapshotSetup},
		} {
			b.ID = id
			must(t, s.PutSnapshot(t.Context(), b))
		}
		var ids []string
		for _, b := range got[[]SnapshotRow](t)(s.SnapshotsOf(t.Context(), "s", SnapshotSetup)) {
			ids = append(ids, b.ID)
		}
		same(t, "ids", ids, []string{"new", "old"})
	},
	"a snapshot is found by its id, or the start of it": func(t *testing.T, open func() *Store) {
		s := open()
		for i, id := range []string{"sha256:aabb", "sha256:aacc", "aa", "snap-1"} {
			must(t, s.PutSnapshot(t.Context(), SnapshotRow{ID: id, Kind: SnapshotHand, Created: time.UnixMilli(int64(1000 - i)).UTC()}))
		}
		for ref, want := range map[string][]string{
			"aa": {"aa"}, "aab": {"sha256:aabb"}, "sha256:aac": {"sha256:aacc"}, "sha256:": {"sha256:aabb", "sha256:aacc"},
			"snap": {"snap-1"}, "": nil, "x": nil, "%": nil,
		} {
			var ids []string
			for _, b := range got[[]SnapshotRow](t)(s.FindSnapshots(t.Context(), ref)) {
				ids = append(ids, b.ID)
			}
			same(t, "ids for "+ref, ids, want)
		}
	},
}
