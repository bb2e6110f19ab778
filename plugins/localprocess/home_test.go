package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestAPrivateHome(t *testing.T) {
	own := t.TempDir()
	t.Setenv("HOME", own)
	t.Run("is an empty folder of the sandbox, with which it goes", func(t *testing.T) {
		p := newTest(t, config{Home: homePrivate})
		b := create(t, p)
		if want := filepath.Join(filepath.Dir(b.info.StateDir), "home"); b.info.Home != want {
			t.Errorf("home is %s, want %s", b.info.Home, want)
		}
		if st, err := os.Stat(b.info.Home); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%v %v", st, err)
		}
		got := run(t, b, sandbox.Command{Script: `echo x >~/file && mkdir -p "$XDG_CONFIG_HOME" && cd && pwd -P && ls -A`})
		if got.stdout != b.info.Home+"\n.config\nfile\n" {
			t.Errorf("%+v", got)
		}
		if err := b.Files().Write(t.Context(), filepath.Join(b.info.Home, ".config", "f"), strings.NewReader("x"), sandbox.WriteOptions{}); err != nil {
			t.Error(err)
		}
		if err := p.Destroy(t.Context(), b.id); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(b.info.Home); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
	})
	t.Run("keeps its files over a resume, and is made again where it was removed", func(t *testing.T) {
		p := newTest(t, config{Home: homePrivate})
		b := create(t, p)
		run(t, b, sandbox.Command{Script: "echo x >~/file"})
		resume := func() result {
			sb, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
			if err != nil {
				t.Fatal(err)
			}
			return run(t, sb.(*box), sandbox.Command{Script: "ls -A ~"})
		}
		if got := resume(); got.stdout != "file\n" {
			t.Errorf("%+v", got)
		}
		run(t, b, sandbox.Command{Script: "rm -r ~"})
		if got := resume(); got.exit.Code != 0 || got.stdout != "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("that became a link into the own home isn't followed", func(t *testing.T) {
		p := newTest(t, config{Home: homePrivate})
		b := create(t, p)
		run(t, b, sandbox.Command{Script: `rm -r ~ && ln -s "$OWN" ~`, Env: map[string]string{"OWN": own}})
		err := b.Files().Write(t.Context(), filepath.Join(b.info.Home, "f"), strings.NewReader("x"), sandbox.WriteOptions{})
		wantClass(t, err, sandbox.Denied)
		_, err = p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
		wantClass(t, err, sandbox.Gone, "link")
		if left, err := os.ReadDir(own); err != nil || len(left) > 0 {
			t.Errorf("written into the own home: %v %v", left, err)
		}
	})
	t.Run("needs no HOME", func(t *testing.T) {
		t.Setenv("HOME", "")
		if got := run(t, create(t, newTest(t, config{Home: homePrivate})), sandbox.Command{Script: "cd && pwd"}); got.exit.Code != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestTheOwnHomeIsLeftAlone(t *testing.T) {
	own := t.TempDir()
	t.Setenv("HOME", own)
	p := newTest(t, config{})
	b := create(t, p)
	if b.info.Home != own {
		t.Errorf("home is %s", b.info.Home)
	}
	run(t, b, sandbox.Command{Script: "echo x >~/file"})
	if err := p.Destroy(t.Context(), b.id); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(own, "file")); err != nil {
		t.Error(err)
	}
}
