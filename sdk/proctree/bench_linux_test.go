package proctree

import (
	"os"
	"os/exec"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

func BenchmarkKillSmallTree(b *testing.B) {
	for _, o := range []Options{{}, {MarksOnly: true}} {
		f, err := Open(b.TempDir(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(f.Scope()), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				beats := b.TempDir()
				if _, err := f.Start(b.Context(), shell("p", leakcheck.Script, beats)); err != nil {
					b.Fatal(err)
				}
				if err := leakcheck.Await(b.Context(), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := f.Kill(b.Context(), "p", 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStartAndWait(b *testing.B) {
	for _, o := range []Options{{}, {MarksOnly: true}} {
		f, err := Open(b.TempDir(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(f.Scope()), func(b *testing.B) {
			for b.Loop() {
				tree, err := f.Start(b.Context(), Spec{ID: "p", Argv: []string{"true"}, Env: os.Environ()})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := tree.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScan300 reads the process table with 300 processes more than there
// are already.
func BenchmarkScan300(b *testing.B) {
	f, err := Open(b.TempDir(), Options{MarksOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	spec := shell("crowd", "for i in $(seq 299); do sleep 1000 & done; echo x; wait")
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	spec.Stdout = w
	if _, err := f.Start(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := f.Kill(b.Context(), "crowd", 0); err != nil {
			b.Error(err)
		}
	}()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.hunt(f.targetOf("another", record{})).scan(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		h := f.hunt(f.targetOf("another", record{}))
		for b.Loop() {
			if _, err := h.scan(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
