package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func (pl place) home() string { return filepath.Join(pl.base, "home") }

// homeOf is the folder that the sandbox's processes have as HOME. A private one
// that was removed is made again; a link in its place is not followed.
func (p *provider) homeOf(pl place) (string, error) {
	if p.config.Home == homePrivate {
		if err := os.Mkdir(pl.home(), 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
			return pl.home(), err
		}
		return pl.home(), p.present(pl.home())
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("look for the home folder that its processes get: %w (set HOME)", err)
	}
	return home, nil
}

// homeEnv are the variables that lead to a home.
func (c config) homeEnv(home string, windows bool) map[string]string {
	env := map[string]string{"HOME": home}
	if c.Home != homePrivate {
		return env
	}
	for name, parts := range map[string][]string{
		"XDG_CONFIG_HOME": {".config"}, "XDG_DATA_HOME": {".local", "share"},
		"XDG_STATE_HOME": {".local", "state"}, "XDG_CACHE_HOME": {".cache"},
	} {
		env[name] = filepath.Join(append([]string{home}, parts...)...)
	}
	if windows {
		env["USERPROFILE"] = home
		env["APPDATA"] = filepath.Join(home, "AppData", "Roaming")
		env["LOCALAPPDATA"] = filepath.Join(home, "AppData", "Local")
	}
	return env
}
