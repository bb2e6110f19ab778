//go:build unix

package plugins_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain builds the test programs once.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "plugins")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for variable, name := range map[string]string{"TEST_PLUGIN": "plugin", "TEST_ROGUE": "rogue"} {
		bin := filepath.Join(dir, name)
		build := exec.Command("go", "build", "-trimpath", "-o", bin, "./testdata/"+name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build test program: %v\n%s", err, out)
			return 1
		}
		if err := os.Setenv(variable, bin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	// Links to the others come and go, which changes them.
	if err := settled(filepath.Join(dir, "settled")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func settled(path string) error {
	data, err := os.ReadFile(os.Getenv("TEST_PLUGIN"))
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, data, 0o755), os.Setenv("TEST_SETTLED", path))
}

// install puts the test plugin into a folder under a name.
func install(t *testing.T, dir, name string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.Link(os.Getenv("TEST_PLUGIN"), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// script puts a program of the shell there.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	// Renamed into place: a file open for writing in a child that was forked
	// meanwhile can't be executed.
	if err := os.WriteFile(path+".new", []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}
