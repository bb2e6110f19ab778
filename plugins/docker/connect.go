package main

import (
	"errors"
	"fmt"
	"os"

	cliconfig "github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/connhelper"
	ctxdocker "github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
	"github.com/docker/docker/client"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// connect makes a client of the engine that the docker command would use: that of
// DOCKER_HOST, else of the context that is chosen, else the usual one. It asks
// nothing yet: the version of the API is agreed on at the first call.
func connect(settings *configfile.ConfigFile) (engine, error) {
	opts, err := endpoint(settings)
	if err != nil {
		return nil, err
	}
	return client.NewClientWithOpts(append(opts, client.WithAPIVersionNegotiation())...)
}

func endpoint(settings *configfile.ConfigFile) ([]client.Opt, error) {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		helper, err := connhelper.GetConnectionHelper(host)
		if err != nil || helper == nil {
			return []client.Opt{client.FromEnv}, err
		}
		return []client.Opt{client.WithHost(helper.Host), client.WithDialContext(helper.Dialer)}, nil
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		name = settings.CurrentContext
	}
	if name == "" || name == "default" {
		return []client.Opt{client.FromEnv}, nil
	}
	contexts := store.New(cliconfig.ContextStoreDir(), store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter(ctxdocker.DockerEndpoint, func() any { return &ctxdocker.EndpointMeta{} }),
	))
	found, err := contexts.GetMetadata(name)
	if err != nil {
		return nil, &sandbox.Error{
			Class: sandbox.Invalid, Provider: "docker", Cause: err,
			Message: fmt.Sprintf("the Docker context %q can't be used: %v", name, err),
			Hint:    "see `docker context ls`; DOCKER_CONTEXT, or currentContext in Docker's config.json, chooses one",
		}
	}
	meta, err := ctxdocker.EndpointFromContext(found)
	if err != nil {
		return nil, err
	}
	at, err := ctxdocker.WithTLSData(contexts, name, meta)
	if err != nil {
		return nil, err
	}
	return at.ClientOpts()
}

// settings are those of the docker command: which engine, and the keys to
// registries.
func settings() (*configfile.ConfigFile, error) {
	dir := os.Getenv("DOCKER_CONFIG")
	if dir != "" {
		cliconfig.SetDir(dir)
	}
	s, err := cliconfig.Load(cliconfig.Dir())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, sandbox.Errorf(sandbox.Invalid, "read the settings of docker: %w", err)
	}
	return s, nil
}
