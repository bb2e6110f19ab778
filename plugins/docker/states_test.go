package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/api/types/container"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestAResumeTellsHowItFoundTheContainer takes one container through what may
// have happened to it: each time its files are there, and what is said is true.
func TestAResumeTellsHowItFoundTheContainer(t *testing.T) {
	t.Parallel()
	p := openProvider(t, config{Image: imageBusybox, Memory: "64MiB"})
	sb := create(t, p, request(p, sandbox.Network{}))
	sh(t, sb, "echo kept >file")
	e := testEngine(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := 0
	for _, c := range []struct {
		name, says string
		befall     func(context.Context) error
	}{
		{"running", "", func(context.Context) error { return nil }},
		{"paused", "it was paused", func(ctx context.Context) error { return e.ContainerPause(ctx, sb.ID()) }},
		{"stopped", "it had stopped, with exit code", func(ctx context.Context) error {
			return e.ContainerStop(ctx, sb.ID(), container.StopOptions{Timeout: &at})
		}},
		{"killed", "it had stopped, with exit code 137", func(ctx context.Context) error {
			return e.ContainerKill(ctx, sb.ID(), "KILL")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			must(c.befall(t.Context()))
			var said []string
			again, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID(), Progress: func(p sandbox.Progress) { said = append(said, p.Detail) }})
			must(err)
			if got := strings.Join(said, "; "); !strings.Contains(got, c.says) || (got == "") != (c.says == "") {
				t.Errorf("it said %q, want %q", got, c.says)
			}
			if got := sh(t, again, "cat file"); got != "kept\n" {
				t.Errorf("the file holds %q", got)
			}
		})
	}
	must(e.ContainerRemove(t.Context(), sb.ID(), container.RemoveOptions{Force: true, RemoveVolumes: true}))
	if _, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID()}); !errors.Is(err, sandbox.Gone) {
		t.Errorf("resume of what was removed: %v, want Gone", err)
	}
	if _, err := sb.Start(t.Context(), sandbox.Command{ID: "x", Argv: []string{"true"}}); !errors.Is(err, sandbox.Gone) {
		t.Errorf("start in what was removed: %v, want Gone", err)
	}
}

// TestWhatAContainerTookAlongIsToldOfItsProcesses looks at processes of a container
// that was stopped or stands still.
func TestWhatAContainerTookAlongIsToldOfItsProcesses(t *testing.T) {
	t.Parallel()
	p := openProvider(t, config{Image: imageBusybox})
	sb := create(t, p, request(p, sandbox.Network{}))
	e := testEngine(t)
	start := func() {
		t.Helper()
		if _, err := sb.Start(t.Context(), sandbox.Command{ID: "long", Argv: []string{"sleep", "1000"}, Detached: true}); err != nil {
			t.Fatal(err)
		}
	}
	start()
	if err := e.ContainerPause(t.Context(), sb.ID()); err != nil {
		t.Fatal(err)
	}
	if err := sb.Kill(t.Context(), "long", 0); err != nil {
		t.Errorf("kill in what is paused: %v", err)
	}
	if got, err := sb.Alive(t.Context(), "long"); got != sandbox.AliveNo || err != nil {
		t.Errorf("alive after that: %v, %v", got, err)
	}
	start()
	if err := e.ContainerKill(t.Context(), sb.ID(), "KILL"); err != nil {
		t.Fatal(err)
	}
	wait, failed := e.ContainerWait(t.Context(), sb.ID(), container.WaitConditionNotRunning)
	select {
	case <-wait:
	case err := <-failed:
		t.Fatal(err)
	}
	if got, err := sb.Alive(t.Context(), "long"); got != sandbox.AliveNo || err != nil {
		t.Errorf("alive in what was stopped: %v, %v", got, err)
	}
	if err := sb.Kill(t.Context(), "long", 0); err != nil {
		t.Errorf("kill in what was stopped: %v", err)
	}
	_, err := sb.Start(t.Context(), sandbox.Command{ID: "x", Argv: []string{"true"}})
	if !errors.Is(err, sandbox.Unavailable) || !strings.Contains(err.Error(), "exit code 137") {
		t.Errorf("start in what was stopped: %v", err)
	}
}

// TestASecretOfACommandIsInNothingThatTheEngineKeeps has a container and its
// snapshot looked at as a whole.
func TestASecretOfACommandIsInNothingThatTheEngineKeeps(t *testing.T) {
	t.Parallel()
	const secret, base = "s3cret-of-a-command", "s3cret-of-the-base"
	p := openProvider(t, config{Image: imageBusybox})
	req := request(p, sandbox.Network{})
	req.Env = map[string]string{"BASE": base}
	sb := create(t, p, req)
	out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{
		ID: "x", Script: `echo "of the workspace" >file; echo "$TOKEN $BASE" >"$STATE/prompt"; cat "$STATE/prompt"`,
		Env: map[string]string{"TOKEN": secret, "STATE": sb.Info().StateDir},
	})
	if err != nil || !strings.Contains(string(out.Stdout), secret+" "+base) {
		t.Fatalf("%v %s", err, out.Stdout)
	}
	snap, err := sb.(*box).Snapshot(t.Context(), sandbox.SnapshotRequest{Label: "of a secret", Labels: req.Labels})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.DeleteSnapshot(context.Background(), snap.ID); err != nil {
			t.Error(err)
		}
	})
	e := testEngine(t)
	_, inspected, err := e.ContainerInspectWithRaw(t.Context(), sb.ID(), true)
	if err != nil {
		t.Fatal(err)
	}
	history, err := e.ImageHistory(t.Context(), snap.ID)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := e.ImageSave(t.Context(), []string{snap.ID}) // configuration and layers, not compressed
	if err != nil {
		t.Fatal(err)
	}
	image, err := io.ReadAll(saved)
	if err != nil || !bytes.Contains(image, []byte("of the workspace")) {
		t.Fatalf("the image of %d bytes lacks the workspace's file: %v", len(image), err)
	}
	for what, text := range map[string][]byte{"inspect": inspected, "history": fmt.Append(nil, history), "image": image} {
		for _, secret := range []string{secret, base} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%q is in the engine's %s", secret, what)
			}
		}
	}
}

// TestAGuestThatLacksIsPutBack empties the volume that all containers have their
// guest from, and cuts it short, as a filler that was killed leaves it.
func TestAGuestThatLacksIsPutBack(t *testing.T) {
	t.Parallel()
	p, volume := withOwnGuest(t)
	for _, c := range []struct{ name, spoil string }{
		{"empty", "rm /v/guest"},
		{"cut short", "head -c 100000 /v/guest >/v/g && mv /v/g /v/guest && chmod 755 /v/guest"},
		{"not executable", "chmod 644 /v/guest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			create(t, p, request(p, sandbox.Network{}))
			if said, err := exec.CommandContext(t.Context(), "docker", "run", "--rm", "-v", volume+":/v", imageBusybox, "sh", "-c", c.spoil).CombinedOutput(); err != nil {
				t.Fatalf("spoil the volume: %v: %s", err, said)
			}
			sh(t, create(t, p, request(p, sandbox.Network{})), "true")
		})
	}
}

// TestWhatAnotherEngineHasIsNotGone asks for ids as another engine's sandboxes have
// them, and for one as this engine's had.
func TestWhatAnotherEngineHasIsNotGone(t *testing.T) {
	t.Parallel()
	p := openProvider(t, config{Image: imageBusybox})
	mine, err := p.nameFor(t.Context(), "no such key")
	if err != nil {
		t.Fatal(err)
	}
	other := "sandlot-" + strings.Repeat("0", 6) + mine[len("sandlot-")+6:]
	kept, err := p.snapshotFor(t.Context(), "sha256:"+hash("no such image"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := kept[:len(kept)-6] + strings.Repeat("0", 6)
	for _, c := range []struct {
		id, snapshot    string
		resume, restore error
		removal         error // of both
	}{
		{mine, kept, sandbox.Gone, sandbox.NotFound, nil},
		{other, elsewhere, sandbox.Unavailable, sandbox.Unavailable, sandbox.Unavailable},
	} {
		if _, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: c.id}); !errors.Is(err, c.resume) {
			t.Errorf("resume %s: %v, want %v", c.id, err, c.resume)
		}
		if err := p.Destroy(t.Context(), c.id); !errors.Is(err, c.removal) {
			t.Errorf("destroy %s: %v, want %v", c.id, err, c.removal)
		}
		if _, err := p.Restore(t.Context(), c.snapshot, request(p, sandbox.Network{})); !errors.Is(err, c.restore) {
			t.Errorf("restore %s: %v, want %v", c.snapshot, err, c.restore)
		}
		if err := p.DeleteSnapshot(t.Context(), c.snapshot); !errors.Is(err, c.removal) {
			t.Errorf("delete %s: %v, want %v", c.snapshot, err, c.removal)
		}
	}
}

// withOwnGuest is a provider whose containers have their guest from a volume of this
// test's, which nobody has filled.
func withOwnGuest(t *testing.T) (p *provider, volume string) {
	t.Helper()
	p = openProvider(t, config{Image: imageBusybox})
	g, err := p.guests("linux/amd64")
	if err != nil {
		t.Fatal(err)
	}
	g.volume += "-" + strings.ToLower(rand.Text())
	p.guests = func(string) (filling, error) { return g, nil }
	return p, g.volume
}

// TestTheFirstContainersOfAnEngineAreMadeAtOnce has several creates find no guest
// there.
func TestTheFirstContainersOfAnEngineAreMadeAtOnce(t *testing.T) {
	t.Parallel()
	p, _ := withOwnGuest(t)
	var all sync.WaitGroup
	for range 6 {
		req := request(p, sandbox.Network{})
		all.Go(func() {
			sb, err := p.Create(t.Context(), req)
			if err != nil {
				t.Error(err)
				return
			}
			if err := p.Destroy(t.Context(), sb.ID()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestAGuestThatIsWholeIsNotFilledInAgain has somebody else, who thinks that the guest
// lacks, fill it in whenever a container is about to start, and be stopped halfway.
func TestAGuestThatIsWholeIsNotFilledInAgain(t *testing.T) {
	t.Parallel()
	p, _ := withOwnGuest(t)
	g, err := p.guests("linux/amd64")
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	var others sync.WaitGroup
	defer others.Wait()
	defer close(release)
	img, err := p.engine.ImageInspect(t.Context(), imageBusybox)
	if err != nil {
		t.Fatal(err)
	}
	usual := p.engine
	p.engine = starting{usual, func() {
		begun := make(chan struct{})
		half := &provider{config: p.config, owner: p.owner, guests: p.guests, engine: halfway{usual, begun, release}}
		ended := make(chan struct{})
		others.Go(func() {
			defer close(ended)
			_ = half.fill(context.Background(), img.ID, g)
		})
		select {
		case <-begun:
		case <-ended:
		}
	}}
	sh(t, create(t, p, request(p, sandbox.Network{})), "true")
}

// starting is an engine that does something before it starts a container.
type starting struct {
	engine
	before func()
}

func (e starting) ContainerStart(ctx context.Context, id string, o container.StartOptions) error {
	e.before()
	return e.engine.ContainerStart(ctx, id, o)
}

// halfway is an engine that is given half of what is put into a container, says so,
// and gets the rest when it is released.
type halfway struct {
	engine
	begun, release chan struct{}
}

func (e halfway) CopyToContainer(ctx context.Context, id, path string, content io.Reader, o container.CopyToContainerOptions) error {
	whole, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	r, w := io.Pipe()
	go func() {
		_, _ = w.Write(whole[:len(whole)/2])
		close(e.begun)
		<-e.release
		_ = w.CloseWithError(io.ErrUnexpectedEOF)
	}()
	return e.engine.CopyToContainer(ctx, id, path, r, o)
}
