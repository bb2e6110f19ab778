package server

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"pgregory.net/rapid"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

func TestOutboxKeepsOrderAndBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := newOutbox()
		sizes := rapid.SliceOfN(rapid.IntRange(0, 3*outboxLimit/2), 1, 12).Draw(t, "sizes")
		var want, got [2]bytes.Buffer
		var order []bool // which output each byte run belongs to, as one writer writes them
		writing := make(chan struct{})
		go func() {
			defer close(writing)
			defer box.end()
			for i, size := range sizes {
				data := bytes.Repeat([]byte{byte('a' + i)}, size)
				stderr := i%2 == 1
				if n, err := (writer{box: box, stderr: stderr}).Write(data); n != size || err != nil {
					t.Errorf("write %d: %d, %v", size, n, err)
				}
				want[i%2].Write(data)
			}
		}()
		err := box.drain(func(f *pb.StartResponse) error {
			out, data := 0, f.GetStdout()
			if len(data) == 0 {
				out, data = 1, f.GetStderr()
			}
			if len(data) == 0 || len(data) > outboxLimit {
				t.Errorf("a frame of %d bytes", len(data))
			}
			got[out].Write(data) // it may be reused after this
			if n := len(order); n == 0 || order[n-1] != (out == 1) {
				order = append(order, out == 1)
			}
			return nil
		})
		<-writing
		if err != nil || !bytes.Equal(want[0].Bytes(), got[0].Bytes()) || !bytes.Equal(want[1].Bytes(), got[1].Bytes()) {
			t.Errorf("got %d and %d bytes, want %d and %d; %v", got[0].Len(), got[1].Len(), want[0].Len(), want[1].Len(), err)
		}
		if len(order) > len(sizes) {
			t.Errorf("outputs alternate %d times for %d writes", len(order), len(sizes))
		}
	})
}

func TestOutboxFreesItsWritersWhenNobodyReads(t *testing.T) {
	box := newOutbox()
	var writers sync.WaitGroup
	for _, stderr := range []bool{false, true} {
		writers.Go(func() {
			n, err := writer{box: box, stderr: stderr}.Write(make([]byte, 2*outboxLimit))
			if !errors.Is(err, errOutboxClosed) || n > outboxLimit {
				t.Errorf("got %d, %v", n, err)
			}
		})
	}
	cause := errors.New("the stream broke")
	if err := box.drain(func(*pb.StartResponse) error { return cause }); !errors.Is(err, cause) {
		t.Errorf("drain: got %v", err)
	}
	writers.Wait()
	if _, err := (writer{box: box}).Write([]byte("x")); !errors.Is(err, errOutboxClosed) {
		t.Errorf("a write after that: got %v", err)
	}
}
