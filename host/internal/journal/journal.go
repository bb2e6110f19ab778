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

// Exit codes of a wrapper that didn't start the agent; it says so on stderr. An
// agent that exits with one of them leaves an exit file beside.
const (
	CannotWrite = 125 // the journal
	Taken       = 124 // another wrapper has the run
)

// TakenWords are what a wrapper says that found another's mark.
const TakenWords = "another wrapper has the run"

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

// Wraps reports whether a command line, its arguments joined by blanks, is that of
// the shell that watches an agent.
func Wraps(command string) bool {
	first, _, _ := strings.Cut(wrapper, "\n")
	return strings.Contains(command, first)
}

// Started reports whether a wrapper has ever taken the run. A folder that leads
// elsewhere was put there by an agent, so there was one.
func (j *Journal) Started(ctx context.Context) (bool, error) {
	_, err := j.files.Stat(ctx, path.Join(j.folder, "started"))
	if errors.Is(err, sandbox.NotFound) { // never there, or removed by the agent
		_, err = j.files.Stat(ctx, path.Join(j.folder, "out"))
	}
	switch {
	case errors.Is(err, sandbox.NotFound):
		return false, nil
	case err != nil && !spoilt(err):
		return false, fmt.Errorf("look for a started agent in %s: %w", j.folder, err)
	}
	return true, nil
}

// spoilt reports whether an error says that something else stands where the
// journal put a file: nothing, a folder, a pipe, a link that leads out.
func spoilt(err error) bool {
	return errors.Is(err, sandbox.NotFound) || errors.Is(err, sandbox.Denied) || errors.Is(err, sandbox.Invalid)
}

// ExitCode is the code that the wrapper left. ok is false where there is no
// exit file or it isn't one of ours.
func (j *Journal) ExitCode(ctx context.Context) (code int, ok bool, err error) {
	text, err := j.small(ctx, "exit", func(int64) int64 { return 0 }, 16)
	if err != nil || text == nil {
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
	return j.small(ctx, "err", func(size int64) int64 { return max(0, size-maxBytes) }, maxBytes)
}

// small is a piece of a file that the agent may have replaced; nil where it has,
// or where there is none. from says where the piece begins, given the size.
func (j *Journal) small(ctx context.Context, name string, from func(size int64) int64, limit int64) ([]byte, error) {
	info, err := j.files.Stat(ctx, path.Join(j.folder, name))
	var data []byte
	switch {
	case err == nil && info.Kind == sandbox.KindFile:
		data, err = j.read(ctx, name, from(info.Size), limit)
	case err == nil:
		return nil, nil
	}
	if err != nil && spoilt(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look into the journal: %w", err)
	}
	return append([]byte{}, data...), nil
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
