package wire

import (
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// FileInfo converts to the wire.
func FileInfo(i sandbox.FileInfo) *pb.FileInfo {
	return &pb.FileInfo{
		Name:      toBytes(i.Name),
		Kind:      Text(string(i.Kind)),
		Mode:      Mode(i.Mode),
		Size:      i.Size,
		ModTimeNs: nanos(i.ModTime),
		Target:    toBytes(i.Target),
	}
}

// FromFileInfo converts from the wire.
func FromFileInfo(i *pb.FileInfo) sandbox.FileInfo {
	return sandbox.FileInfo{
		Name:    fromBytes(i.GetName()),
		Kind:    sandbox.FileKind(i.GetKind()),
		Mode:    FromMode(i.GetMode()),
		Size:    i.GetSize(),
		ModTime: fromNanos(i.GetModTimeNs()),
		Target:  fromBytes(i.GetTarget()),
	}
}

// FileInfos converts a list.
func FileInfos(list []sandbox.FileInfo) []*pb.FileInfo { return each(list, FileInfo) }

// FromFileInfos converts a list.
func FromFileInfos(list []*pb.FileInfo) []sandbox.FileInfo { return each(list, FromFileInfo) }
