//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// asFast is the goal of what the engine does most of.
func asFast(most float64) goal { return goal{of: "ratio", most: most} }

// timedOf times the work alone: what comes before and after isn't counted.
func timedOf[T any](before func(context.Context) (T, error), work func(context.Context, T) error, after func(context.Context, T) error) side {
	return func(ctx context.Context) ([]float64, error) {
		on, err := before(ctx)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		err = work(ctx, on)
		took := since(start)
		if after != nil {
			err = errors.Join(err, after(ctx, on))
		}
		return []float64{took}, err
	}
}

// making times what makes something, which is removed after.
func making[T any](work func(context.Context) (T, error), remove func(context.Context, T) error) side {
	return func(ctx context.Context) ([]float64, error) {
		return timedUntil(func() (func() error, error) {
			made, err := work(ctx)
			if err != nil {
				return nil, err
			}
			return func() error { return remove(ctx, made) }, nil
		})
	}
}

func (d *docker) create(ctx context.Context) (sandbox.Sandbox, error) {
	return d.provider.Create(ctx, d.request())
}

func (d *docker) destroy(ctx context.Context, sb sandbox.Sandbox) error {
	return d.provider.Destroy(ctx, sb.ID())
}

func (d *docker) runImage(ctx context.Context) (string, error) {
	return d.runDetached(ctx, dockerImage)
}

// lives are creating a container that can be used, and destroying it.
func (d *docker) lives() []row {
	return []row{
		{
			name: "create", unit: "ms", goal: asFast(1.25),
			raw: making(d.runImage, d.remove), ours: making(d.create, d.destroy),
		},
		{
			name: "destroy", unit: "ms", goal: asFast(1.3),
			raw: timedOf(d.runImage, d.remove, nil), ours: timedOf(d.create, d.destroy, nil),
		},
	}
}

// resumes are of the container as a plugin finds it that didn't make it.
func (d *docker) resumes() []row {
	none := func(context.Context) (string, error) { return d.raw, nil }
	stopped := func(id func() string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return id(), d.stop(ctx, id()) }
	}
	raw, ours := func() string { return d.raw }, func() string { return d.box.ID() }
	resume := func(ctx context.Context, _ string) error {
		_, err := d.provider.Resume(ctx, sandbox.ResumeRequest{ID: d.box.ID()})
		return err
	}
	return []row{
		{
			name: "resume what runs", unit: "ms", goal: asFast(1.25), ours: timedOf(none, resume, nil),
			raw: timedOf(none, func(ctx context.Context, id string) error {
				if _, err := d.engine.ContainerInspect(ctx, id); err != nil {
					return err
				}
				return d.exec(ctx, id, io.Discard, "true")
			}, nil),
		},
		{
			name: "resume what was stopped", unit: "ms", goal: asFast(1.25),
			raw: timedOf(stopped(raw), d.start, nil), ours: timedOf(stopped(ours), resume, nil),
		},
	}
}
