package secrets

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain is also the process that fetches a secret and is killed meanwhile.
func TestMain(m *testing.M) {
	if script := os.Getenv("FETCH_WITH"); script != "" {
		_, _ = fetcherIn(os.Getenv("FETCH_IN")).Resolve(context.Background(), map[string]Source{"S": shell(script)})
		return
	}
	os.Exit(m.Run())
}

func TestACommandWhoseProcessWasKilledIsEnded(t *testing.T) {
	dir := t.TempDir()
	up := filepath.Join(dir, "up")
	if err := unix.Mkfifo(up, 0o600); err != nil {
		t.Fatal(err)
	}
	fetches := exec.CommandContext(t.Context(), os.Args[0])
	fetches.Env = append(os.Environ(), "FETCH_IN="+dir, "FETCH_WITH=cd "+dir+`
		echo $$ >a; setsid sh -c 'echo $$ >b; echo >up; sleep 300' & sleep 300`)
	if err := fetches.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(up); err != nil { // it runs
		t.Fatal(err)
	}
	f := fetcherIn(dir)
	if got := Sweep(t.Context(), f.Home); len(got) > 0 {
		t.Errorf("a living process's: %q", got)
	}
	if err := fetches.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = fetches.Wait()
	goes(t, filepath.Join(dir, "a"))
	if set, err := f.Resolve(t.Context(), map[string]Source{"S": shell("echo " + canary)}); err != nil || set.values["S"] != canary {
		t.Errorf("got %v", err)
	}
	gone(t, filepath.Join(dir, "b"))
	if left, err := os.ReadDir(folderIn(f.Home)); len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// goes waits until a process ends by itself.
func goes(t *testing.T, file string) {
	t.Helper()
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for range 1000 {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		<-poll.C
	}
	t.Error("the program lives on")
}

func TestAFolderThatNobodyUsesGoesByItsAge(t *testing.T) {
	home := t.TempDir()
	for name, age := range map[string]time.Duration{"young": 0, "old": 2 * abandoned} {
		dir := filepath.Join(folderIn(home), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if at := time.Now().Add(-age); os.Chtimes(dir, at, at) != nil {
			t.Fatal("can't make it older")
		}
	}
	before, after := Abandoned(home), Sweep(t.Context(), home)
	want := filepath.Join(folderIn(home), "old")
	if len(before) != 1 || before[0] != want || len(after) != 1 || after[0] != want {
		t.Errorf("got %q, %q", before, after)
	}
}
