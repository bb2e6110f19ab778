package providertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func followCases() []testCase {
	return []testCase{
		{"what is appended is seen within 50 ms", withFiles(followSees)},
		{"it starts with what is there, from an offset", withFiles(followOffset)},
		{"it ends with its context", withFiles(followContext)},
		{"it ends with Close", withFiles(followClose)},
		{"it ends when the file is removed, after the last bytes", withFiles(followRemoved)},
	}
}

// follow opens a stream that goes on. The reads happen in one goroutine, as a
// reader may not be used by two.
func (f *filed) follow(ctx context.Context, path string, offset int64) (io.ReadCloser, *bufio.Reader) {
	f.Helper()
	r, err := f.files.Read(ctx, path, sandbox.ReadOptions{Offset: offset, Follow: true})
	f.noError("follow", err)
	f.Cleanup(func() { _ = r.Close() })
	return r, bufio.NewReader(r)
}

// appender makes a process that appends each line it is told to a file, and
// says when it has.
func (f *filed) appender(path string) (tell func(line string)) {
	in, out := newGate(f.bed), newGate(f.bed)
	f.start(f.sb, sandbox.Command{
		ID: f.id("appender"), Stdin: in.reader, Stdout: out.writer,
		Argv: shell(`while read -r line; do printf '%s\n' "$line" >>"$1"; echo ok; done`, path),
	})
	answers := bufio.NewReader(out.reader)
	return func(line string) {
		f.Helper()
		_, _ = io.WriteString(in.writer, line+"\n")
		if got, err := answers.ReadString('\n'); got != "ok\n" {
			f.Errorf("append: %q %v", got, err)
		}
	}
}

func followSees(f *filed) {
	const bound = 50 * time.Millisecond
	f.put("log", []byte("begin\n"))
	_, r := f.follow(f.ctx, "log", 0)
	tell := f.appender("log")
	line := func() string {
		got := ""
		f.soon("the next line", func() { got, _ = r.ReadString('\n') })
		return got
	}
	if got := line(); got != "begin\n" {
		f.Errorf("it starts with %q", got)
	}
	var delays []time.Duration
	for i := range 15 {
		want := fmt.Sprint("line ", i)
		seen := make(chan time.Time, 1)
		go func() {
			if got, err := r.ReadString('\n'); got != want+"\n" {
				f.Errorf("it continues with %q %v, want %q", got, err, want)
			}
			seen <- time.Now()
		}()
		tell(want)
		appended := time.Now()
		f.soon("the next line", func() { delays = append(delays, (<-seen).Sub(appended)) })
	}
	// The middle one: a busy machine holds up a few.
	slices.Sort(delays)
	if middle := delays[len(delays)/2]; middle > bound {
		f.Errorf("seen after %v, want %v at most; all: %v", middle, bound, delays)
	}
}

func followOffset(f *filed) {
	f.put("log", []byte("0123456789\n"))
	_, r := f.follow(f.ctx, "log", 5)
	f.soon("what is there", func() {
		if got, err := r.ReadString('\n'); got != "56789\n" {
			f.Errorf("it starts with %q %v", got, err)
		}
	})
	tell := f.appender("log")
	tell("more")
	f.soon("what is appended", func() {
		if got, err := r.ReadString('\n'); got != "more\n" {
			f.Errorf("it continues with %q %v", got, err)
		}
	})
}

func followContext(f *filed) {
	f.put("log", []byte("x\n"))
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	_, r := f.follow(ctx, "log", 0)
	_, err := r.ReadString('\n')
	f.noError("read", err)
	time.AfterFunc(20*time.Millisecond, cancel)
	f.soon("the end", func() {
		if _, err := r.ReadByte(); err == nil {
			f.Errorf("there is more after the context's end")
		}
	})
}

func followClose(f *filed) {
	f.put("log", []byte("x\n"))
	stream, r := f.follow(f.ctx, "log", 0)
	_, err := r.ReadString('\n')
	f.noError("read", err)
	time.AfterFunc(20*time.Millisecond, func() { _ = stream.Close() })
	f.soon("the end", func() {
		if _, err := r.ReadByte(); err == nil {
			f.Errorf("there is more after Close")
		}
	})
}

func followRemoved(f *filed) {
	f.put("log", []byte("x\n"))
	_, r := f.follow(f.ctx, "log", 0)
	_, err := r.ReadString('\n')
	f.noError("read", err)
	f.sh("printf last >>log && rm log")
	f.soon("the end", func() {
		rest, err := io.ReadAll(r)
		if string(rest) != "last" {
			f.Errorf("the end is %q", rest)
		}
		if err != nil {
			f.mustBe("the end", err, sandbox.NotFound)
		}
	})
}
