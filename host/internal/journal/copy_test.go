//go:build unix

package journal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// secret is what hiding takes out.
const secret = "canary-0123456789"

// hiding is a scrubber of one word, as simple as it can be.
type hiding struct{ held []byte }

func (h *hiding) Redact(data []byte) []byte {
	data = bytes.ReplaceAll(append(h.held, data...), []byte(secret), []byte("***"))
	keep := 0
	for n := 1; n < len(secret) && n <= len(data); n++ {
		if bytes.HasSuffix(data, []byte(secret[:n])) {
			keep = n
		}
	}
	h.held = bytes.Clone(data[len(data)-keep:])
	return data[:len(data)-keep]
}

func (h *hiding) Close() []byte { return h.held }

func options(head, tail int64) CopyOptions {
	return CopyOptions{Head: head, Tail: tail, Overlap: len(secret), Scrub: func() Scrubber { return &hiding{} }}
}

// unpack reads a file of a copy.
func unpack(t *testing.T, dir, name string) string {
	t.Helper()
	in, err := OpenCopied(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestACopyHoldsEachFileScrubbed(t *testing.T) {
	state := stateDir(t, map[string]string{
		"out": "a " + secret + " b\n", "err": "\xff\x00" + secret, "in": "the prompt", "exit": "0\n", "agent.sh": "not copied",
	})
	files := &folder{piece: 5} // secrets come in several pieces
	to := filepath.Join(t.TempDir(), "r", "journal")
	j := Open(files, state, "r")
	if err := j.Copy(t.Context(), to, options(0, 0)); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range copiedNames() {
		got[name] = unpack(t, to, name)
	}
	want := map[string]string{"out": "a *** b\n", "err": "\xff\x00***", "in": "the prompt", "exit": "0\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("copy (-want +got):\n%s", diff)
	}
	if Settled(to) {
		t.Error("settled, and the sandbox holds the journal")
	}
	if err := errors.Join(j.Remove(t.Context()), Settle(to)); err != nil || !Settled(to) {
		t.Errorf("settled: %v, %v", Settled(to), err)
	}
	if _, err := os.Stat(state + "/runs/r"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the sandbox holds it still: %v", err)
	}
	err := filepath.WalkDir(filepath.Dir(to), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestALargeFileIsCutAndNoHalfOfASecretStays has a secret across each cut.
func TestALargeFileIsCutAndNoHalfOfASecretStays(t *testing.T) {
	const head, tail = 100, 80
	for split := 1; split < len(secret); split++ {
		middle := strings.Repeat("m", 1000)
		text := strings.Repeat("h", head-split) + secret + middle + secret + strings.Repeat("t", tail-split)
		state := stateDir(t, map[string]string{"out": text})
		to := filepath.Join(t.TempDir(), "journal")
		if err := Open(&folder{piece: 7}, state, "r").Copy(t.Context(), to, options(head, tail)); err != nil {
			t.Fatal(err)
		}
		got := unpack(t, to, "out")
		before, after, ok := strings.Cut(got, "\n--- sandlot: ")
		if !ok || strings.Trim(before, "h") != "" || !strings.Contains(after, "bytes of "+strconv.Itoa(len(text))+" are left out here ---\n") {
			t.Fatalf("split %d: the copy is %q", split, got)
		}
		_, after, _ = strings.Cut(after, "---\n")
		if rest := strings.Trim(after, "t"); rest != "" && rest != "***" {
			t.Errorf("split %d: after the cut there is %q", split, after)
		}
		c, err := ReadCopied(to)
		want := CopiedFile{Size: int64(len(text)), Cut: int64(len(text) - head - tail)}
		if err != nil || c.Files["out"] != want {
			t.Errorf("the copy says %+v, %v", c.Files["out"], err)
		}
	}
}

// TestOfAGigabyteTheEndsAreReadOnly is what keeps time and memory bounded.
func TestOfAGigabyteTheEndsAreReadOnly(t *testing.T) {
	state := stateDir(t, map[string]string{"out": "begin"})
	if err := os.Truncate(state+"/runs/r/out", 1<<30); err != nil { // with a hole: it takes no disk
		t.Fatal(err)
	}
	files := &folder{}
	to := filepath.Join(t.TempDir(), "journal")
	if err := Open(files, state, "r").Copy(t.Context(), to, options(0, 0)); err != nil {
		t.Fatal(err)
	}
	if most := int64(DefaultHead + DefaultTail + len(secret)); files.read > most {
		t.Errorf("read %d bytes, more than %d", files.read, most)
	}
	if files.largest > batchSize {
		t.Errorf("held %d bytes at once", files.largest)
	}
}

// TestWhatTheAgentPutInPlaceOfItsJournalIsNotFollowed has each file and folder
// replaced. Reading a pipe would wait for ever.
func TestWhatTheAgentPutInPlaceOfItsJournalIsNotFollowed(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(state, elsewhere string) error
		want Copied
	}{
		{"a link for out", func(state, elsewhere string) error {
			return errors.Join(os.Remove(state+"/runs/r/out"), os.Symlink(elsewhere+"/f", state+"/runs/r/out"))
		}, Copied{Files: map[string]CopiedFile{"out": {Note: "it was replaced by a link, which isn't read"}}}},
		{"a pipe for out", func(state, _ string) error {
			return errors.Join(os.Remove(state+"/runs/r/out"), syscall.Mkfifo(state+"/runs/r/out", 0o600))
		}, Copied{Files: map[string]CopiedFile{"out": {Note: "it was replaced by a pipe, socket or device, which isn't read"}}}},
		{"a link for the run's folder", func(state, elsewhere string) error {
			return errors.Join(os.RemoveAll(state+"/runs/r"), os.Symlink(elsewhere, state+"/runs/r"))
		}, Copied{Note: "the journal's folder was replaced by a link, which isn't followed"}},
		{"a link for the folder of runs", func(state, elsewhere string) error {
			return errors.Join(os.RemoveAll(state+"/runs"), os.Mkdir(elsewhere+"/r", 0o700), os.Symlink(elsewhere, state+"/runs"))
		}, Copied{Note: "the journal's folder was replaced by a link, which isn't followed"}},
		{"nothing", func(state, _ string) error {
			return os.RemoveAll(state + "/runs/r")
		}, Copied{Note: "the sandbox held no journal of this run any more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			elsewhere := t.TempDir()
			if err := os.WriteFile(elsewhere+"/f", []byte("private"), 0o600); err != nil {
				t.Fatal(err)
			}
			state := stateDir(t, map[string]string{"out": "x"})
			if err := c.put(state, elsewhere); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(t.TempDir(), "journal")
			j := Open(&folder{}, state, "r")
			if err := errors.Join(j.Copy(t.Context(), to, options(0, 0)), j.Remove(t.Context())); err != nil {
				t.Fatal(err)
			}
			got, err := ReadCopied(to)
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Copied{}, "At"), cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("%v; the copy says (-want +got):\n%s", err, diff)
			}
			if data, err := os.ReadFile(elsewhere + "/f"); string(data) != "private" {
				t.Errorf("what the link led to is now %q, %v", data, err)
			}
		})
	}
}

func TestACopyIsThereWholeOrNotAtAll(t *testing.T) {
	state := stateDir(t, map[string]string{"out": strings.Repeat("x", 1000), "err": strings.Repeat("y", 1000)})
	parent := t.TempDir()
	to := filepath.Join(parent, "journal")
	j := Open(&folder{failAt: 1500, piece: 100}, state, "r")
	if err := j.Copy(t.Context(), to, options(0, 0)); !errors.Is(err, sandbox.Unavailable) || HasCopy(to) {
		t.Fatalf("copied: %v, %v", HasCopy(to), err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	// One that was killed left this.
	if err := os.MkdirAll(to+".new-1/x", 0o700); err != nil {
		t.Fatal(err)
	}
	j = Open(&folder{}, state, "r")
	if err := j.Copy(t.Context(), to, options(0, 0)); err != nil || unpack(t, to, "out") != strings.Repeat("x", 1000) {
		t.Fatalf("the next try: %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("beside it there is %v, %v", left, err)
	}
	// A second copy doesn't touch the first, whatever the sandbox holds by now.
	if err := errors.Join(j.Remove(t.Context()), j.Copy(t.Context(), to, options(0, 0)), NoCopy(to, "no")); err != nil {
		t.Fatal(err)
	}
	if unpack(t, to, "out") != strings.Repeat("x", 1000) {
		t.Error("the second copy replaced the first")
	}
}
