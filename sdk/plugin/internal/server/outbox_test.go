package server

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

func started() *pb.StartResponse {
	return &pb.StartResponse{Frame: &pb.StartResponse_Started{Started: &pb.Started{Pid: 7}}}
}

func TestOutboxKeepsOrderAndBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 3*outboxLimit/2), 1, 12).Draw(t, "sizes")
		begin := rapid.IntRange(0, len(sizes)).Draw(t, "writes before it begins")
		var want, got [2]bytes.Buffer
		var order []bool // which output each byte run belongs to, as one writer writes them
		frames := 0
		box := newOutbox(func(f *pb.StartResponse) error {
			if frames++; (f.GetStarted() != nil) != (frames == 1) {
				t.Errorf("frame %d is %T", frames, f.GetFrame())
			}
			if f.GetStarted() != nil {
				return nil
			}
			out, data := 0, f.GetStdout()
			if len(data) == 0 {
				out, data = 1, f.GetStderr()
			}
			if len(data) == 0 || len(data) > outboxLimit {
				t.Errorf("a frame of %d bytes", len(data))
			}
			got[out].Write(data) // it may be used again after this
			if n := len(order); n == 0 || order[n-1] != (out == 1) {
				order = append(order, out == 1)
			}
			return nil
		})
		first := make(chan struct{})
		begun := make(chan error, 1)
		go func() {
			<-first
			begun <- box.begin(started())
		}()
		for i, size := range sizes {
			if i == begin {
				close(first)
			}
			if i < begin && box.size+size > outboxLimit { // it would wait for what comes after
				begin = i
				close(first)
			}
			data := bytes.Repeat([]byte{byte('a' + i)}, size)
			if n, err := (writer{box: box, stderr: i%2 == 1}).Write(data); n != size || err != nil {
				t.Errorf("write %d: %d, %v", i, n, err)
			}
			want[i%2].Write(data)
			clear(data)
		}
		if begin == len(sizes) {
			close(first)
		}
		if err := <-begun; err != nil || !bytes.Equal(want[0].Bytes(), got[0].Bytes()) || !bytes.Equal(want[1].Bytes(), got[1].Bytes()) {
			t.Errorf("got %d and %d bytes, want %d and %d; %v", got[0].Len(), got[1].Len(), want[0].Len(), want[1].Len(), err)
		}
		if len(order) > len(sizes) {
			t.Errorf("outputs alternate %d times for %d writes", len(order), len(sizes))
		}
	})
}

func TestOutboxFreesItsWritersWhenNobodyReads(t *testing.T) {
	cause := errors.New("the stream broke")
	end := map[string]func(*outbox) error{
		"the first frame can't be sent": func(b *outbox) error { return b.begin(started()) },
		"there is no process":           func(b *outbox) error { b.end(); return cause },
	}
	for name, end := range end {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := newOutbox(func(*pb.StartResponse) error { return cause })
				var writers sync.WaitGroup
				for _, stderr := range []bool{false, true} {
					writers.Go(func() {
						n, err := writer{box: box, stderr: stderr}.Write(make([]byte, 2*outboxLimit))
						if !errors.Is(err, errOutboxClosed) || n > outboxLimit {
							t.Errorf("got %d, %v", n, err)
						}
					})
				}
				synctest.Wait() // one is in, and both are blocked
				if err := end(box); !errors.Is(err, cause) {
					t.Errorf("got %v", err)
				}
				writers.Wait()
				if _, err := (writer{box: box}).Write([]byte("x")); !errors.Is(err, errOutboxClosed) {
					t.Errorf("a write after that: got %v", err)
				}
			})
		})
	}
}

func TestOutboxTellsTheWriterThatNobodyReads(t *testing.T) {
	cause, broken := errors.New("the stream broke"), false
	box := newOutbox(func(*pb.StartResponse) error {
		if broken {
			return cause
		}
		return nil
	})
	if err := box.begin(started()); err != nil {
		t.Fatal(err)
	}
	w := writer{box: box}
	if n, err := w.Write([]byte("x")); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	broken = true
	if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, cause) {
		t.Errorf("got %d, %v", n, err)
	}
	if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, errOutboxClosed) {
		t.Errorf("a write after that: got %d, %v", n, err)
	}
}
