package journal

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

//go:embed wrapper.sh
var wrapper string

// CannotWrite is the wrapper's exit code if it couldn't write the journal; the
// agent was not started then.
const CannotWrite = 125

// Input says where the agent's standard input comes from.
type Input string

// The inputs of an agent.
const (
	InputNone   Input = "none"   // end of file at once
	InputPrompt Input = "prompt" // the journal's in file
	InputDuplex Input = "duplex" // the stream of the process
)

// Journal is one run's folder in a sandbox.
type Journal struct {
	files  sandbox.Files
	folder string
}

// Open names the journal of a run; it touches nothing.
func Open(files sandbox.Files, stateDir, run string) *Journal {
	return &Journal{files: files, folder: path.Join(stateDir, "runs", run)}
}

// Folder is the journal's folder in the sandbox.
func (j *Journal) Folder() string { return j.folder }

// Prepare makes the folder and, with a prompt, the in file. It may be called
// again before the agent has started.
func (j *Journal) Prepare(ctx context.Context, prompt []byte) error {
	for _, dir := range []string{path.Dir(j.folder), j.folder} {
		if err := j.files.Mkdir(ctx, dir, 0o700); err != nil {
			return fmt.Errorf("make journal %s: %w", dir, err)
		}
	}
	if prompt == nil {
		return nil
	}
	in := path.Join(j.folder, "in")
	if err := j.files.Write(ctx, in, strings.NewReader(string(prompt)), sandbox.WriteOptions{Mode: 0o600}); err != nil {
		return fmt.Errorf("write prompt %s: %w", in, err)
	}
	return nil
}

// Argv is the command line that runs the agent under the wrapper.
func (j *Journal) Argv(input Input, agent []string) []string {
	return append([]string{"/bin/sh", "-c", wrapper, "sandlot", j.folder, string(input)}, agent...)
}

// Started reports whether a wrapper has ever taken the run.
func (j *Journal) Started(ctx context.Context) (bool, error) {
	_, err := j.files.Stat(ctx, path.Join(j.folder, "started"))
	if errors.Is(err, sandbox.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a started agent in %s: %w", j.folder, err)
	}
	return true, nil
}

// ExitCode is the code that the wrapper left. ok is false where there is no
// exit file or it isn't one of ours.
func (j *Journal) ExitCode(ctx context.Context) (code int, ok bool, err error) {
	info, err := j.files.Stat(ctx, path.Join(j.folder, "exit"))
	if errors.Is(err, sandbox.NotFound) || err == nil && info.Kind != sandbox.KindFile {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look for the exit code of the agent: %w", err)
	}
	text, err := j.read(ctx, "exit", 0, 16)
	if err != nil {
		return 0, false, err
	}
	code, convErr := strconv.Atoi(strings.TrimSpace(string(text)))
	if convErr != nil || code < 0 || code > 255 {
		return 0, false, nil
	}
	return code, true, nil
}

// StderrTail is the last max bytes the agent wrote to stderr.
func (j *Journal) StderrTail(ctx context.Context, maxBytes int64) ([]byte, error) {
	info, err := j.files.Stat(ctx, path.Join(j.folder, "err"))
	if errors.Is(err, sandbox.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read stderr of the agent: %w", err)
	}
	return j.read(ctx, "err", max(0, info.Size-maxBytes), maxBytes)
}

func (j *Journal) read(ctx context.Context, name string, offset, limit int64) ([]byte, error) {
	file := path.Join(j.folder, name)
	r, err := j.files.Read(ctx, file, sandbox.ReadOptions{Offset: offset, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return data, nil
}
