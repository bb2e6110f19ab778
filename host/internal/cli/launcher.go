package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
)

// launcher starts drivers, each in a session of its own, so that a closed
// terminal doesn't reach it, with its output in the run's driver.log. Values are
// the secrets that stand in the configuration.
func (a *app) launcher(home string, values map[string]string) runs.Launcher {
	return func(_ context.Context, id string) (runs.Driver, error) {
		folder := filepath.Join(home, "runs", id)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		file := filepath.Join(folder, "driver.log")
		log, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		defer log.Close()
		d := &driverProcess{log: file, done: make(chan struct{})}
		if info, err := log.Stat(); err == nil {
			d.from = info.Size()
		}
		argv := []string{"drive", id, "--log-level", a.flags.logLevel}
		if a.flags.pluginDir != "" {
			argv = append(argv, "--plugin-dir", a.absolute(a.flags.pluginDir))
		}
		d.cmd = exec.Command(a.world.Executable, argv...)
		d.cmd.Env = append(a.world.Environ[:len(a.world.Environ):len(a.world.Environ)], "SANDLOT_HOME="+home)
		d.cmd.Dir = home
		d.cmd.Stdout, d.cmd.Stderr = log, log
		d.cmd.SysProcAttr = ownSession()
		stdin, err := d.cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		if err := d.cmd.Start(); err != nil {
			return nil, err
		}
		if len(values) > 0 {
			// Before we return: with --detach we are gone then. A driver that
			// reads nothing has ended, which is seen by who waits for it.
			_ = json.NewEncoder(stdin).Encode(values)
		}
		_ = stdin.Close()
		go d.wait()
		return d, nil
	}
}

// driverProcess is a driver that this process started.
type driverProcess struct {
	cmd  *exec.Cmd
	log  string // path of its log
	from int64  // where in the log it began
	done chan struct{}
	err  error
}

// Done implements runs.Driver.
func (d *driverProcess) Done() <-chan struct{} { return d.done }

// Err implements runs.Driver.
func (d *driverProcess) Err() error { return d.err }

func (d *driverProcess) wait() {
	defer close(d.done)
	err := d.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || !exit.Exited() {
		return // it did its work, or was killed
	}
	d.err = errors.New(d.lastWords() + " (see " + d.log + ")")
}

// lastWords is the error with which it ended, as it wrote it to its log.
func (d *driverProcess) lastWords() string {
	const most = 64 << 10
	otherwise := "the driver gave up"
	f, err := os.Open(d.log)
	if err != nil {
		return otherwise
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, d.from, 1<<62), most))
	if err != nil {
		return otherwise
	}
	if _, words, ok := strings.Cut("\n"+string(data), "\nerror: "); ok {
		return strings.TrimSpace(words)
	}
	return otherwise
}

// started is a launcher whose first driver runs already; nil: none does.
func started(d runs.Driver, launch runs.Launcher) runs.Launcher {
	return func(ctx context.Context, id string) (runs.Driver, error) {
		if first := d; first != nil {
			d = nil
			return first, nil
		}
		return launch(ctx, id)
	}
}
