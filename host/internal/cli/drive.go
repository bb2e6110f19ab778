package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// driveCmd is the driver: a process of its own, started by launcher. Its stdin
// holds the secrets that stand in the configuration, as JSON.
func (a *app) driveCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "drive RUN",
		Hidden: true,
		Args:   args(1, 1, "one argument, the run"),
		RunE: func(c *cobra.Command, ref []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			collectLate()
			values, err := readValues(a.world.Stdin)
			if err != nil {
				return err
			}
			st, _, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			defer st.Close()
			log, err := a.log()
			if err != nil {
				return err
			}
			engine, err := a.engine(st, log, ref[0])
			if err != nil {
				return err
			}
			engine.Values, engine.Mask = values, a.mask
			err = engine.Drive(ctx, ref[0])
			if held, ok := errors.AsType[*store.HeldError](err); ok {
				log.Info("nothing to drive", "reason", held)
				return nil
			}
			return err
		},
	}
}

// collectLate is for a process that lives by streams: nearly all that a line leaves
// behind is garbage at once, and little lives on, so the collector needn't run each
// few megabytes. Above the limit it does as before, so that a line of many megabytes
// doesn't take a multiple of what is needed for it.
func collectLate() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(192 << 20)
}

func readValues(r io.Reader) (map[string]string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read secrets of the configuration: %w", err)
	}
	if len(data) == 0 {
		return nil, nil
	}
	var values map[string]string
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, errors.New("read secrets of the configuration: not the JSON object that a driver expects on stdin")
	}
	return values, nil
}

func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.world.Dir, path)
}
