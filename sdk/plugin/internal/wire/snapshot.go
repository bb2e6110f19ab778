package wire

import (
	"maps"
	"slices"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// SnapshotRequest converts all but Progress.
func SnapshotRequest(id string, r sandbox.SnapshotRequest) *pb.SnapshotSandbox {
	return &pb.SnapshotSandbox{Sandbox: Text(id), Label: Text(r.Label), Labels: labels(r.Labels)}
}

// FromSnapshotRequest converts all but Progress.
func FromSnapshotRequest(r *pb.SnapshotSandbox) (id string, req sandbox.SnapshotRequest) {
	return r.GetSandbox(), sandbox.SnapshotRequest{Label: r.GetLabel(), Labels: fromLabels(r.GetLabels())}
}

// Snapshot converts to the wire.
func Snapshot(s sandbox.Snapshot) *pb.SnapshotInfo {
	return &pb.SnapshotInfo{
		Id: Text(s.ID), Label: Text(s.Label), Labels: labels(s.Labels), CreatedMs: unixMillis(s.Created), Size: s.Size,
	}
}

// FromSnapshot converts from the wire.
func FromSnapshot(s *pb.SnapshotInfo) sandbox.Snapshot {
	return sandbox.Snapshot{
		ID: s.GetId(), Label: s.GetLabel(), Labels: fromLabels(s.GetLabels()), Created: fromUnixMillis(s.GetCreatedMs()), Size: s.GetSize(),
	}
}

// Snapshots converts a list.
func Snapshots(list []sandbox.Snapshot) []*pb.SnapshotInfo { return each(list, Snapshot) }

// FromSnapshots converts a list.
func FromSnapshots(list []*pb.SnapshotInfo) []sandbox.Snapshot { return each(list, FromSnapshot) }

// Port converts to the wire.
func Port(p sandbox.Port) *pb.PortResponse {
	out := &pb.PortResponse{Url: Text(p.URL), ExpiresMs: unixMillis(p.Expires)}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		out.Headers = append(out.Headers, &pb.Header{Name: Text(name), Value: toBytes(p.Headers[name])})
	}
	return out
}

// FromPort converts from the wire.
func FromPort(p *pb.PortResponse) sandbox.Port {
	out := sandbox.Port{URL: p.GetUrl(), Expires: fromUnixMillis(p.GetExpiresMs())}
	for _, h := range p.GetHeaders() {
		if out.Headers == nil {
			out.Headers = map[string]string{}
		}
		out.Headers[h.GetName()] = fromBytes(h.GetValue())
	}
	return out
}
