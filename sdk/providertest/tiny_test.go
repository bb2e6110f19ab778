//go:build unix

package providertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// tiny is the smallest provider that the suite passes: folders of this machine
// and process trees in them. The faulty ones are made of it.
type tiny struct{ dir, owner string }

var tinyCaps = sandbox.Capabilities{
	Files: true, Ports: true, Snapshots: true, Forks: true, Keeps: true, Disruption: sandbox.DisruptionNone, WritableStdin: true, KillableProcesses: true, DurableFilesystem: true, NetworkPolicy: sandbox.NetworkNone,
}

func (t tiny) Capabilities() sandbox.Capabilities { return tinyCaps }

func refuse(n sandbox.Network, secrets []sandbox.Secret) error {
	switch {
	case n.Deny:
		return &sandbox.Error{Class: sandbox.Unsupported, Capability: "network_policy"}
	case len(secrets) > 0:
		return &sandbox.Error{Class: sandbox.Unsupported, Capability: "brokers_secrets"}
	}
	return nil
}

func (t tiny) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return t.createFrom(ctx, req, "")
}

// createFrom makes a sandbox of the files in the folder of another, or of a
// snapshot; empty: of none.
func (t tiny) createFrom(ctx context.Context, req sandbox.CreateRequest, from string) (sandbox.Sandbox, error) {
	if err := refuse(req.Network, req.Secrets); err != nil {
		return nil, err
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(req.Key) {
		return nil, sandbox.Errorf(sandbox.Invalid, "create sandbox: bad key %q", req.Key)
	}
	tmp, err := os.MkdirTemp(t.dir, ".new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	labels, err := json.Marshal(req.Labels)
	err = errors.Join(err, os.Mkdir(filepath.Join(tmp, "state"), 0o700), os.WriteFile(filepath.Join(tmp, "labels"), labels, 0o600))
	err = errors.Join(err, furnished(ctx, tmp, from))
	if err != nil {
		return nil, err
	}
	if err := os.Rename(tmp, filepath.Join(t.dir, req.Key)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, t.Destroy(context.WithoutCancel(ctx), req.Key))
	}
	return t.Resume(ctx, sandbox.ResumeRequest{ID: req.Key, Env: req.Env})
}

func (t tiny) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	if err := refuse(req.Network, req.Secrets); err != nil {
		return nil, err
	}
	base := filepath.Join(t.dir, filepath.Base(req.ID))
	if _, err := os.Stat(filepath.Join(base, "labels")); err != nil || filepath.Base(req.ID) != req.ID {
		return nil, sandbox.Errorf(sandbox.Gone, "resume sandbox %s: it doesn't exist", req.ID)
	}
	forest, err := proctree.Open(filepath.Join(base, "state"), proctree.Options{})
	if err != nil {
		return nil, sandbox.Errorf(sandbox.Gone, "resume sandbox: %w", err)
	}
	return &tinyBox{id: req.ID, base: base, owner: t.owner, env: req.Env, forest: forest}, nil
}

func (t tiny) Destroy(ctx context.Context, id string) error {
	sb, err := t.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err != nil {
		return nil
	}
	box := sb.(*tinyBox)
	if err := box.forest.Close(ctx, 0); err != nil {
		return err
	}
	err = os.RemoveAll(box.base)
	return errors.Join(err, os.RemoveAll(box.base)) // what was being written meanwhile
}

func (t tiny) List(context.Context) ([]sandbox.Summary, error) {
	files, err := filepath.Glob(filepath.Join(t.dir, "[0-9a-f]*", "labels"))
	var all []sandbox.Summary
	for _, file := range files {
		s := sandbox.Summary{ID: filepath.Base(filepath.Dir(file)), State: sandbox.StateRunning}
		data, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(data, &s.Labels) == nil && s.Labels.Owner == t.owner {
			all = append(all, s)
		}
	}
	return all, err
}

type tinyBox struct {
	id, base, owner string
	env             map[string]string
	forest          *proctree.Forest
}

func (b *tinyBox) ID() string { return b.id }

func (b *tinyBox) Info() sandbox.Info {
	u, err := user.Current()
	if err != nil {
		u = &user.User{}
	}
	return sandbox.Info{
		Root: filepath.Join(b.base, "root"), Home: filepath.Join(b.base, "home"), StateDir: filepath.Join(b.base, "state"),
		OS: runtime.GOOS, Arch: runtime.GOARCH, User: u.Username, Isolation: sandbox.IsolationNone,
		KillScope: sandbox.KillScope(b.forest.Scope()), Capabilities: tinyCaps,
	}
}

func (b *tinyBox) Kill(ctx context.Context, proc string, grace time.Duration) error {
	return b.forest.Kill(ctx, proc, grace)
}

func (b *tinyBox) Alive(ctx context.Context, proc string) (sandbox.Liveness, error) {
	l, err := b.forest.Alive(ctx, proc)
	return sandbox.Liveness(l.String()), err
}

func (b *tinyBox) Files() sandbox.Files { return tinyFiles{b.Info()} }
