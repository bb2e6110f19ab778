package main

import (
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/shellfs"
)

// box is one sandbox. Start, Kill and Alive are the Runner's.
type box struct {
	*processes.Runner
	id   string
	info sandbox.Info
}

func (b *box) ID() string           { return b.id }
func (b *box) Info() sandbox.Info   { return b.info }
func (b *box) Files() sandbox.Files { return shellfs.New(b) }
