package wire

import (
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of all that isn't bulk
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// leastBulk is how many bytes make bulk.
const leastBulk = 4 << 10

// Codec is gRPC's own with a shorter way for bulk: messages that hold one field
// of many bytes and nothing else. What is on the wire is the same; it is copied
// once at either end.
//
// A message that is received into once more keeps the memory of its bytes: who
// calls RecvMsg with the same message again must be done with what it held.
type Codec struct {
	encoding.CodecV2
	buffers mem.BufferPool
}

// NewCodec makes a codec.
func NewCodec(buffers mem.BufferPool) Codec {
	return Codec{CodecV2: encoding.GetCodecV2("proto"), buffers: buffers}
}

// Marshal implements encoding.CodecV2.
func (c Codec) Marshal(v any) (mem.BufferSlice, error) {
	field, data := bulk(v)
	if field == 0 || len(data) < leastBulk {
		return c.CodecV2.Marshal(v)
	}
	buf := c.buffers.Get(protowire.SizeTag(field) + protowire.SizeBytes(len(data)))
	b := protowire.AppendTag((*buf)[:0], field, protowire.BytesType)
	*buf = protowire.AppendBytes(b, data)
	return mem.BufferSlice{mem.NewBuffer(buf, c.buffers)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (c Codec) Unmarshal(data mem.BufferSlice, v any) error {
	if field, head, n := bulkHead(data); n >= leastBulk {
		if slot := bulkField(v, field); slot != nil {
			if cap(*slot) < n {
				*slot = make([]byte, n)
			}
			*slot = (*slot)[:n]
			copyFrom(*slot, data, head)
			return nil
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}

// bulkHead reads the head of a message of one field of bytes: its number, the
// length of the head and of the bytes; 0 if the message is another.
func bulkHead(data mem.BufferSlice) (field protowire.Number, head, n int) {
	if len(data) == 0 {
		return 0, 0, 0
	}
	first := data[0].ReadOnlyData()
	field, kind, head := protowire.ConsumeTag(first)
	if head < 0 || kind != protowire.BytesType {
		return 0, 0, 0
	}
	size, length := protowire.ConsumeVarint(first[head:])
	if length < 0 || uint64(head+length)+size != uint64(data.Len()) {
		return 0, 0, 0
	}
	return field, head + length, int(size)
}

// copyFrom fills to with what comes after the first skip bytes.
func copyFrom(to []byte, data mem.BufferSlice, skip int) {
	for _, b := range data {
		part := b.ReadOnlyData()
		cut := min(skip, len(part))
		skip -= cut
		to = to[copy(to, part[cut:]):]
	}
}

// bulk is the number of the only field that is set, and its bytes; 0 if the
// message is none that may be bulk.
func bulk(v any) (protowire.Number, []byte) {
	switch m := v.(type) {
	case *pb.StartResponse:
		switch f := m.GetFrame().(type) {
		case *pb.StartResponse_Stdout:
			return 2, f.Stdout
		case *pb.StartResponse_Stderr:
			return 3, f.Stderr
		}
	case *pb.StartRequest:
		return 2, m.GetStdin()
	case *pb.ReadFileResponse:
		return 1, m.GetData()
	case *pb.WriteFileRequest:
		return 2, m.GetData()
	case *pb.PullResponse:
		return 1, m.GetData()
	case *pb.PushRequest:
		return 2, m.GetData()
	}
	return 0, nil
}

// bulkField makes a field of bytes the only one that a message has, and returns
// it, with what it held before; nil if the message has no such one.
func bulkField(v any, field protowire.Number) *[]byte {
	switch m := v.(type) {
	case *pb.StartResponse:
		switch field {
		case 2:
			f, ok := m.GetFrame().(*pb.StartResponse_Stdout)
			if !ok {
				f = &pb.StartResponse_Stdout{}
				m.Frame = f
			}
			return &f.Stdout
		case 3:
			f := &pb.StartResponse_Stderr{}
			m.Frame = f
			return &f.Stderr
		}
	case *pb.StartRequest:
		if field == 2 {
			f, ok := m.GetFrame().(*pb.StartRequest_Stdin)
			if !ok {
				f = &pb.StartRequest_Stdin{}
				m.Frame = f
			}
			return &f.Stdin
		}
	case *pb.ReadFileResponse:
		if field == 1 {
			return &m.Data
		}
	case *pb.WriteFileRequest:
		if field == 2 {
			f, ok := m.GetMessage().(*pb.WriteFileRequest_Data)
			if !ok {
				f = &pb.WriteFileRequest_Data{}
				m.Message = f
			}
			return &f.Data
		}
	case *pb.PullResponse:
		if field == 1 {
			return &m.Data
		}
	case *pb.PushRequest:
		if field == 2 {
			f, ok := m.GetMessage().(*pb.PushRequest_Data)
			if !ok {
				f = &pb.PushRequest_Data{}
				m.Message = f
			}
			return &f.Data
		}
	}
	return nil
}
