package journal

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// frame runs a whole stream through a framer, as the reader does.
func frame(t interface{ Fatalf(string, ...any) }, r io.Reader, lineCap int) []Batch {
	f := framer{lineCap: lineCap}
	var all []Batch
	for {
		err := f.fill(r)
		for b, ok := f.next(false); ok; b, ok = f.next(false) {
			all = append(all, b)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("fill: %v", err)
		}
	}
	for b, ok := f.next(true); ok; b, ok = f.next(true) {
		all = append(all, b)
	}
	return all
}

// pieces hands out its text in reads of the given sizes.
type pieces struct {
	text  []byte
	sizes []int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := len(p.text)
	if len(p.sizes) > 0 {
		n, p.sizes = min(n, p.sizes[0]), p.sizes[1:]
	}
	n = copy(b, p.text[:n])
	p.text = p.text[n:]
	return n, nil
}

func TestBatchesAreTheStreamCutAtNewlinesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("a\n\x00\xff\xe4\xbd\xa0")), 0, 2000).Draw(t, "text")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 50), 0, 100).Draw(t, "sizes")
		lineCap := rapid.SampledFrom([]int{5, 20, DefaultLineCap}).Draw(t, "cap")

		var pos int64
		for i, b := range frame(t, &pieces{bytes.Clone(text), sizes}, lineCap) {
			want := text[pos:b.End]
			if b.TooLong > 0 {
				if int(b.TooLong) != len(want) || len(want) <= lineCap || bytes.Contains(want[:len(want)-1], []byte("\n")) {
					t.Fatalf("batch %d: dropped %d bytes, want one line over %d: %q", i, b.TooLong, lineCap, want)
				}
			} else if !bytes.Equal(b.Data, want) {
				t.Fatalf("batch %d: got %q, want %q", i, b.Data, want)
			}
			if last := b.End == int64(len(text)); !last && text[b.End-1] != '\n' {
				t.Fatalf("batch %d ends inside a line: %q", i, want)
			}
			pos = b.End
		}
		if pos != int64(len(text)) {
			t.Fatalf("got %d of %d bytes", pos, len(text))
		}
	})
}

func TestLongLinesComeWholeAndAlone(t *testing.T) {
	for _, size := range []int{1 << 20, 8 << 20, 32 << 20} {
		line := strings.Repeat("x", size) + "\n"
		got := frame(t, strings.NewReader("before\n"+line+"after\n"), DefaultLineCap)
		if len(got) != 3 || string(got[1].Data) != line {
			t.Errorf("%d bytes: got %d batches, want the long line alone", size, len(got))
		}
	}
}

func TestALineOverTheCapIsToldOfWithItsSize(t *testing.T) {
	text := "one\n" + strings.Repeat("x", 5<<20) + "\ntwo\n"
	got := frame(t, strings.NewReader(text), 1<<20)
	if len(got) != 3 || got[1].TooLong != 5<<20+1 || string(got[2].Data) != "two\n" || got[2].End != int64(len(text)) {
		t.Errorf("got %d batches: %v", len(got), got)
	}
}

func TestAWideCharacterSurvivesEverySplit(t *testing.T) {
	text := "a你b\n你\n"
	for cut := range len(text) {
		got := frame(t, &pieces{[]byte(text), []int{cut, 1, 1}}, DefaultLineCap)
		var all []byte
		for _, b := range got {
			all = append(all, b.Data...)
		}
		if string(all) != text {
			t.Errorf("cut at %d: got %q", cut, all)
		}
	}
}

func TestManyShortLinesNeedFewBatches(t *testing.T) {
	text := strings.Repeat("short\n", 100_000)
	got := frame(t, strings.NewReader(text), DefaultLineCap)
	if want := len(text)/batchSize + 30; len(got) > want {
		t.Errorf("got %d batches for %d bytes, want at most %d", len(got), len(text), want)
	}
	one := frame(t, iotest.OneByteReader(strings.NewReader("a\nb")), DefaultLineCap)
	if len(one) != 2 || string(one[1].Data) != "b" {
		t.Errorf("one byte at a time: got %v", one)
	}
}
