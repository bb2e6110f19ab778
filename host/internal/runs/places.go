package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// PlacesOf are the folders beside the workspace that file_write = "allow" covers: temp,
// the one for temporary files, and those that the harness's block names.
func PlacesOf(spec *config.Spec, traits harness.Traits, temp string) (policy.Places, error) {
	out := policy.Places{Beside: []string{temp}, Attribute: traits.Dirs}
	if traits.Dirs == "" {
		return out, nil
	}
	var body map[string]json.RawMessage
	err := json.Unmarshal(spec.Harness.Config, &body)
	if named := body[traits.Dirs]; err == nil && named != nil {
		var dirs []string
		err = json.Unmarshal(named, &dirs)
		out.Beside = append(out.Beside, dirs...)
	}
	if err != nil {
		return out, fmt.Errorf("read %s of harness %q: %w", traits.Dirs, spec.Harness.Name, err)
	}
	return out, nil
}

// TempDir is a sandbox's folder for temporary files, by what its environment says:
// TMPDIR, else /tmp.
func TempDir(named ...string) string {
	for _, dir := range named {
		if path.IsAbs(dir) {
			return dir
		}
	}
	return "/tmp"
}

// notePlaces finds out which folders writes may reach, by what the harness said of
// the launch.
func (p *pump) notePlaces(traits harness.Traits, l *harness.Launch) (err error) {
	var ofWorkspace, ofHost string
	if value, ok := p.record.Spec.Workspace.Env["TMPDIR"]; ok {
		ofWorkspace, _ = expander(p.secrets)(value.Parts) // a secret that is gone names no folder
	}
	info := p.sandbox.Info()
	if info.Isolation == sandbox.IsolationNone {
		ofHost, _ = p.Env("TMPDIR")
	}
	p.folders, err = PlacesOf(p.record.Spec, traits, TempDir(l.Env["TMPDIR"], ofWorkspace, ofHost))
	p.folders.Root, p.folders.Home, p.folders.Kept = info.Root, info.Home, []string{info.StateDir}
	return err
}

// lookTime bounds how long one request may wait for the sandbox to say where paths
// lead.
const lookTime = 10 * time.Second

// linkOf asks the sandbox where a link leads; this machine follows none.
func (p *pump) linkOf(ctx context.Context) func(string) (string, bool, error) {
	return func(file string) (target string, there bool, err error) {
		info, err := p.files().Stat(ctx, file)
		switch {
		case errors.Is(err, sandbox.NotFound):
			return "", false, nil
		case errors.Is(err, sandbox.Denied) && !p.folders.InWorkspace(file):
			return "", true, nil // a folder whose links nobody sees
		case err != nil:
			return "", false, err
		case info.Kind == sandbox.KindLink && info.Target == "":
			return "", false, errors.New("it is a link to nobody knows where")
		}
		return info.Target, true, nil
	}
}
