package config_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

var update = flag.Bool("update", false, "write what tests give to their golden files")

// Each file of testdata/broken is a configuration with something wrong; beside it
// stands what a person is told.
func TestBrokenConfigurationsAreExplained(t *testing.T) {
	paths, err := filepath.Glob("testdata/broken/*.hcl")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".hcl"), func(t *testing.T) {
			dir, err := filepath.Abs("testdata/broken")
			if err != nil {
				t.Fatal(err)
			}
			opts := options(dir, map[string]string{"HOME": "/home/me"})
			opts.Path = filepath.Base(path)
			p, diags := config.Load(t.Context(), opts)
			if !diags.HasErrors() {
				t.Fatal("no error")
			}
			for _, d := range diags {
				if d.Subject == nil || d.Subject.Start.Line == 0 {
					t.Errorf("%q has no place", d.Summary)
				}
			}
			got := strings.ReplaceAll(render(t, p, diags), dir, "DIR")
			if strings.Contains(got, "hunter2") {
				t.Error("a secret is shown")
			}
			golden := strings.TrimSuffix(path, ".hcl") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(bytes.ReplaceAll(want, []byte("\r"), nil)), strings.ReplaceAll(got, "\r", "")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The whole language is accepted or refused as not supported yet; none of it is
// taken for a mistake, and none of it is ignored.
func TestWhatThisBuildDoesNotSupportIsNamed(t *testing.T) {
	dir, err := filepath.Abs("testdata/broken")
	if err != nil {
		t.Fatal(err)
	}
	opts := options(dir, map[string]string{"HOME": "/home/me"})
	opts.Path = "whole-language.hcl"
	p, diags := config.Load(t.Context(), opts)
	for _, d := range diags {
		if d.Summary != "Not supported yet" {
			t.Errorf("got %s", d)
		}
	}
	if len(diags) != 11 {
		t.Error(render(t, p, diags))
	}
}
