package main

import (
	"context"
	"io"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// engine is what is used of the Docker engine's API. It is the only place that
// knows the client's package, beside the types that the calls are made of.
type engine interface {
	DaemonHost() string
	Info(ctx context.Context) (system.Info, error)
	ImageInspect(ctx context.Context, image string, opts ...client.ImageInspectOption) (image.InspectResponse, error)
	ImagePull(ctx context.Context, ref string, o image.PullOptions) (io.ReadCloser, error)
	ImageList(ctx context.Context, o image.ListOptions) ([]image.Summary, error)
	ImageHistory(ctx context.Context, image string, opts ...client.ImageHistoryOption) ([]image.HistoryResponseItem, error)
	ImageTag(ctx context.Context, image, ref string) error
	ImageRemove(ctx context.Context, image string, o image.RemoveOptions) ([]image.DeleteResponse, error)
	ContainerCreate(ctx context.Context, c *container.Config, h *container.HostConfig, n *network.NetworkingConfig, p *ocispec.Platform, name string) (container.CreateResponse, error)
	ContainerStart(ctx context.Context, id string, o container.StartOptions) error
	ContainerUnpause(ctx context.Context, id string) error
	ContainerCommit(ctx context.Context, id string, o container.CommitOptions) (container.CommitResponse, error)
	ContainerInspect(ctx context.Context, id string) (container.InspectResponse, error)
	ContainerList(ctx context.Context, o container.ListOptions) ([]container.Summary, error)
	ContainerRemove(ctx context.Context, id string, o container.RemoveOptions) error
	ContainerExecCreate(ctx context.Context, id string, o container.ExecOptions) (container.ExecCreateResponse, error)
	ContainerExecAttach(ctx context.Context, exec string, o container.ExecAttachOptions) (types.HijackedResponse, error)
	ContainerExecInspect(ctx context.Context, exec string) (container.ExecInspect, error)
	ContainerStatPath(ctx context.Context, id, path string) (container.PathStat, error)
	CopyToContainer(ctx context.Context, id, path string, tar io.Reader, o container.CopyToContainerOptions) error
	CopyFromContainer(ctx context.Context, id, path string) (io.ReadCloser, container.PathStat, error)
	NetworkDisconnect(ctx context.Context, network, id string, force bool) error
	ServerVersion(ctx context.Context) (types.Version, error)
	VolumeCreate(ctx context.Context, o volume.CreateOptions) (volume.Volume, error)
	VolumeList(ctx context.Context, o volume.ListOptions) (volume.ListResponse, error)
	VolumeRemove(ctx context.Context, name string, force bool) error
}
