package cli

import (
	"context"
	"fmt"

	goversion "github.com/hashicorp/go-version"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

// checkRequired holds the installed plugins against required_providers. A
// development build, whose version is no number, fits every constraint.
func (a *app) checkRequired(ctx context.Context, installed *plugins.Plugins, project *config.Project) error {
	for typ, want := range project.RequiredProviders() {
		has, err := installed.Version(ctx, plugins.Provider, typ, a.world.Environ)
		if err != nil {
			return usagef("required_providers: %w", err)
		}
		if err := fitsVersion(typ, has, want.Version); err != nil {
			return usagef("required_providers: %w", err)
		}
	}
	return nil
}

func fitsVersion(typ, has, want string) error {
	if want == "" {
		return nil
	}
	constraint, err := goversion.NewConstraint(want)
	if err != nil {
		return fmt.Errorf("version of %s: %w", typ, err)
	}
	version, err := goversion.NewVersion(has)
	if err != nil {
		return nil //nolint:nilerr // a development build
	}
	if !constraint.Check(version) {
		return fmt.Errorf("the installed %s plugin has version %s, the configuration wants %s; install one that fits, or change the constraint", typ, has, want)
	}
	return nil
}
