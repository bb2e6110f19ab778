package main

import (
	"fmt"

	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/registry"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// The docker command keeps what belongs to Docker's own registry under this name.
const indexServer = "https://index.docker.io/v1/"

// credentials are those that `docker login` has kept for an image's registry, as
// the API wants them; empty: there are none. They are read anew each time, as
// they may be short-lived.
func (p *provider) credentials(name string) (string, error) {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return "", invalid("image", "image %q is no name of an image: %v", name, err)
	}
	server := reference.Domain(ref)
	if server == "docker.io" {
		server = indexServer
	}
	s, err := settings()
	if err != nil {
		return "", err
	}
	found, err := s.GetAuthConfig(server)
	if err != nil {
		return "", &sandbox.Error{
			Class: sandbox.Unauthenticated, Provider: "docker", Cause: err,
			Message: fmt.Sprintf("get the credentials for %s: %v", server, err),
			Hint:    "the credential helper that Docker's config.json names doesn't work; try `docker login " + server + "`",
		}
	}
	if found.Username == "" && found.IdentityToken == "" && found.RegistryToken == "" {
		return "", nil
	}
	return registry.EncodeAuthConfig(registry.AuthConfig{
		Username: found.Username, Password: found.Password, ServerAddress: found.ServerAddress,
		IdentityToken: found.IdentityToken, RegistryToken: found.RegistryToken,
	})
}
