package main

import (
	"context"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// testEngine is the engine itself, for what the provider doesn't use of it.
func testEngine(t testing.TB) *client.Client {
	t.Helper()
	e, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// leftovers names everything on the engine that an owner made.
func leftovers(ctx context.Context, t testing.TB, e *client.Client, owner string) []string {
	t.Helper()
	var found []string
	of := filters.NewArgs(filters.Arg("label", labelOwner+"="+owner))
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	containers, err := e.ContainerList(ctx, container.ListOptions{All: true, Filters: of})
	must(err)
	for _, c := range containers {
		found = append(found, "container "+c.ID+" ("+c.Status+") of "+c.Labels[labelKey])
	}
	volumes, err := e.VolumeList(ctx, volume.ListOptions{Filters: of})
	must(err)
	for _, v := range volumes.Volumes {
		found = append(found, "volume "+v.Name)
	}
	images, err := e.ImageList(ctx, image.ListOptions{All: true, Filters: of})
	must(err)
	for _, i := range images {
		found = append(found, "image "+i.ID)
	}
	networks, err := e.NetworkList(ctx, network.ListOptions{Filters: of})
	must(err)
	for _, n := range networks {
		found = append(found, "network "+n.Name)
	}
	return found
}

// mustLeaveNothing looks for what an owner left, and whether that look finds
// anything, by a container that is planted.
func mustLeaveNothing(t *testing.T, owner string) {
	t.Helper()
	ctx, e := context.Background(), testEngine(t)
	for _, what := range leftovers(ctx, t, e, owner) {
		t.Errorf("left on the engine: %s", what)
	}
	c := config{Image: imageBusybox, Workdir: "/workspace"}
	labels := sandbox.Labels{Owner: owner}
	planted, err := e.ContainerCreate(ctx, c.container(imageBusybox, labelsOf(labels)), c.host("sandlot-test-planted-"+owner, labels), nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if found := leftovers(ctx, t, e, owner); len(found) < 2 { // it and its volume
		t.Errorf("a planted container and its volume weren't found, only %q", found)
	}
	if err := e.ContainerRemove(ctx, planted.ID, container.RemoveOptions{RemoveVolumes: true, Force: true}); err != nil {
		t.Error(err)
	}
	if err := e.VolumeRemove(ctx, "sandlot-test-planted-"+owner, false); err != nil {
		t.Error(err)
	}
}
