package server

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieces are what a stream gives, and how it ends.
func pieces(end error, list ...string) *received {
	return &received{next: func() ([]byte, error) {
		if len(list) == 0 {
			return nil, end
		}
		first := list[0]
		list = list[1:]
		return []byte(first), nil
	}}
}

func TestWhatIsReceivedIsPassedOnAsItCame(t *testing.T) {
	broken := errors.New("the stream broke")
	cases := []struct {
		name string
		from *received
		read int // bytes that are read before
		want []string
		err  error
	}{
		{name: "whole messages, none for an empty one", from: pieces(io.EOF, "ab", "", "c"), want: []string{"ab", "c"}},
		{name: "the rest of one that was read in part", from: pieces(io.EOF, "ab", "c"), read: 1, want: []string{"b", "c"}},
		{name: "nothing", from: pieces(io.EOF)},
		{name: "a stream that breaks isn't complete", from: pieces(broken, "ab"), want: []string{"ab"}, err: broken},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := io.ReadFull(c.from, make([]byte, c.read)); err != nil {
				t.Fatal(err)
			}
			var got written
			n, err := io.Copy(&got, c.from)
			if diff := cmp.Diff(c.want, []string(got)); diff != "" || !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v (-want +got):\n%s", err, c.err, diff)
			}
			if all := strings.Join(got, ""); int(n) != len(all) {
				t.Errorf("it says that %d bytes were written, not %d", n, len(all))
			}
		})
	}
}

func TestWhoCanNotWriteWhatIsReceivedIsTold(t *testing.T) {
	full := errors.New("no space")
	r, w := io.Pipe()
	_ = r.CloseWithError(full)
	if n, err := io.Copy(w, pieces(io.EOF, "ab")); n != 0 || !errors.Is(err, full) {
		t.Errorf("got %d, %v", n, err)
	}
}

// written keeps each write.
type written []string

func (w *written) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}
