package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/docker/docker/api/types/container"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// A sandbox's id is the name of its container, a snapshot's that of its image. Both
// tell the engine, so that nothing is thought gone where another engine is asked
// for it.
var (
	sandboxID  = regexp.MustCompile(`^sandlot-([0-9a-f]{6})-[0-9a-f]{16}$`)
	snapshotID = regexp.MustCompile(`^sandlot-snapshot:[0-9a-f]{26}([0-9a-f]{6})$`)
)

// known is what is found out of an engine once.
type known struct {
	mu  sync.Mutex
	sum string // six digits that tell the engine
}

// engineSum tells this engine from others. It is asked for when it is needed: an
// engine takes as long for that as for other calls together.
func (p *provider) engineSum(ctx context.Context) (string, error) {
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	if p.known.sum == "" {
		info, err := p.engine.Info(ctx)
		if err != nil {
			return "", classify("ask the engine who it is", err)
		}
		p.known.sum = hash(info.ID)[:6]
	}
	return p.known.sum, nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// nameFor is the name of the container of a key: one owner's sandboxes never meet
// another's, and two creates of one key meet.
func (p *provider) nameFor(ctx context.Context, key string) (string, error) {
	engine, err := p.engineSum(ctx)
	return "sandlot-" + engine + "-" + hash(p.owner + "/" + key)[:16], err
}

// snapshotFor is the name of the snapshot that an image is.
func (p *provider) snapshotFor(ctx context.Context, image string) (string, error) {
	engine, err := p.engineSum(ctx)
	return "sandlot-snapshot:" + strings.TrimPrefix(image, "sha256:")[:26] + engine, err
}

// elsewhere is the error of an id that the engine doesn't know, where it is another
// engine's.
func (p *provider) elsewhere(ctx context.Context, doing, id string) error {
	engine, err := p.engineSum(ctx)
	if err != nil {
		return err
	}
	of := append(sandboxID.FindStringSubmatch(id), snapshotID.FindStringSubmatch(id)...)
	if len(of) < 2 || of[1] == engine {
		return nil
	}
	return &sandbox.Error{
		Class: sandbox.Unavailable, Provider: "docker",
		Message: fmt.Sprintf("%s: it was made on another Docker engine than the one at %s", doing, p.engine.DaemonHost()),
		Hint:    "set DOCKER_HOST or the Docker context to what it was then",
	}
}

// idOf is the sandbox's id of a listed container: of one that somebody gave another
// name, that.
func idOf(c container.Summary) string {
	for _, name := range c.Names {
		if name = strings.TrimPrefix(name, "/"); sandboxID.MatchString(name) {
			return name
		}
	}
	return c.ID
}

// isID reports whether a text may be an id of ours.
func isID(id string) bool { return sandboxID.MatchString(id) || containerID.MatchString(id) }

var containerID = regexp.MustCompile(`^[0-9a-f]{64}$`)
