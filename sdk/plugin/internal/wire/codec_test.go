package wire

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// messages of every kind that may be bulk, and some that look like it.
func bulkMessages(data []byte) []proto.Message {
	return []proto.Message{
		&pb.StartResponse{Frame: &pb.StartResponse_Stdout{Stdout: data}},
		&pb.StartResponse{Frame: &pb.StartResponse_Stderr{Stderr: data}},
		&pb.StartRequest{Frame: &pb.StartRequest_Stdin{Stdin: data}},
		&pb.ReadFileResponse{Data: data},
		&pb.WriteFileRequest{Message: &pb.WriteFileRequest_Data{Data: data}},
		&pb.PullResponse{Data: data},
		&pb.PushRequest{Message: &pb.PushRequest_Data{Data: data}},
		&pb.StartResponse{Frame: &pb.StartResponse_Exit{Exit: &pb.Exit{Left: data}}},
		&pb.StartRequest{Frame: &pb.StartRequest_Start{Start: &pb.StartCommand{Command: &pb.Command{Script: data}}}},
		&pb.WriteFileRequest{Message: &pb.WriteFileRequest_Start{Start: &pb.WriteFileStart{Path: data}}},
		&pb.PushRequest{Message: &pb.PushRequest_Start{Start: &pb.PushStart{Path: data}}},
		&pb.ExecResponse{Stdout: data},
		&pb.ExecResponse{Stdout: data, Stderr: data},
		&pb.StartResponse{},
	}
}

// cut is a message as it arrives: in pieces.
func cut(data []byte, size int) mem.BufferSlice {
	var pieces mem.BufferSlice
	for len(data) > 0 {
		n := min(size, len(data))
		pieces = append(pieces, mem.SliceBuffer(data[:n]))
		data = data[n:]
	}
	return pieces
}

func TestTheCodecSpeaksWhatProtobufDoes(t *testing.T) {
	codec, standard := NewCodec(&Buffers{}), encoding.GetCodecV2("proto")
	for _, size := range []int{0, 1, leastBulk - 1, leastBulk, 300_000} {
		for _, m := range bulkMessages(bytes.Repeat([]byte("ab\x00\xff"), size/4+1)[:size]) {
			t.Run(fmt.Sprintf("%T of %d bytes", m, size), func(t *testing.T) {
				got, err := codec.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				want, err := standard.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				sent := got.Materialize()
				if !bytes.Equal(sent, want.Materialize()) {
					t.Fatal("it marshals differently")
				}
				got.Free()
				for _, piece := range []int{1, 2, 5, 16 << 10, 1 << 20} {
					back := m.ProtoReflect().New().Interface()
					if err := codec.Unmarshal(cut(sent, piece), back); err != nil {
						t.Fatal(err)
					}
					if !proto.Equal(m, back) {
						t.Errorf("in pieces of %d bytes it unmarshals differently", piece)
					}
				}
			})
		}
	}
}

func TestAMessageThatIsReceivedIntoAgainHoldsTheLastOnly(t *testing.T) {
	codec := NewCodec(&Buffers{})
	into := &pb.StartResponse{}
	big := bytes.Repeat([]byte("x"), 100_000)
	for i, m := range append(bulkMessages(big)[:2], bulkMessages(big[:leastBulk])[0], bulkMessages(nil)[7], bulkMessages(big)[0]) {
		sent, err := codec.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := codec.Unmarshal(sent, into); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(m, into) {
			t.Errorf("message %d came as %.100s", i, into)
		}
		sent.Free()
	}
}

func TestTheCodecTakesNothingBrokenForBulk(t *testing.T) {
	data := bytes.Repeat([]byte("x"), leastBulk)
	whole, err := proto.Marshal(&pb.ReadFileResponse{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	unknown := append(bytes.Clone(whole), 0x78, 0x01) // field 15, a number
	tests := []struct {
		name string
		sent []byte
		fine bool
	}{
		{"a length beyond the end", whole[:len(whole)-1], false},
		{"a length that overflows", append([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, data...), false},
		{"a field that we don't know yet", unknown, true},
		{"the field twice, of which the last counts", append(append([]byte{}, whole...), whole...), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &pb.ReadFileResponse{}
			err := NewCodec(&Buffers{}).Unmarshal(cut(tt.sent, 4096), m)
			if tt.fine != (err == nil) || tt.fine && !bytes.Equal(m.GetData(), data) {
				t.Errorf("unmarshalled to %d bytes, %v", len(m.GetData()), err)
			}
		})
	}
}

func TestBuffersGiveWhatIsAskedFor(t *testing.T) {
	b := &Buffers{}
	for range 3 {
		for _, n := range []int{0, 1, 4096, 4097, 16 << 10, 40_000, 257 << 10, 1 << 20} {
			buf := b.Get(n)
			if len(*buf) != n {
				t.Errorf("asked for %d bytes, got %d", n, len(*buf))
			}
			b.Put(buf)
		}
	}
}
