package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// roles are what this test binary does as another process: it is given the store's path and arguments, and says what
// it did on stdout, line by line. It starts its work when its stdin ends.
var roles = map[string]func(ctx context.Context, path string, args []string) error{}

const roleVariable = "STORE_TEST_ROLE"

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleVariable)
	if !ok {
		os.Exit(m.Run())
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	if err := roles[role](context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// process is this test binary in a role.
type process struct {
	cmd   *exec.Cmd
	start io.Closer
	lines *bufio.Scanner
}

// spawn starts n processes and then lets all of them begin at once.
func spawn(t *testing.T, n int, role, path string, args func(i int) []string) []*process {
	t.Helper()
	all := make([]*process, n)
	for i := range all {
		all[i] = prepare(t, role, path, args(i)...)
	}
	for _, p := range all {
		must(t, p.start.Close())
	}
	return all
}

func prepare(t *testing.T, role, path string, args ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{path}, args...)...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	in := got[io.WriteCloser](t)(cmd.StdinPipe())
	out := got[io.ReadCloser](t)(cmd.StdoutPipe())
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // has ended unless the test failed
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &process{cmd: cmd, start: in, lines: lines}
}

// output reads what it says until it ends; an exit code other than 0 is an error with that.
func (p *process) output() (string, error) {
	var all []string
	for p.lines.Scan() {
		all = append(all, p.lines.Text())
	}
	out := strings.Join(all, "\n")
	if err := errors.Join(p.lines.Err(), p.cmd.Wait()); err != nil {
		return out, fmt.Errorf("%w: %s", err, out)
	}
	return out, nil
}

func init() {
	roles["open"] = func(ctx context.Context, path string, _ []string) error {
		s, err := Open(ctx, path)
		if err != nil {
			return err
		}
		fmt.Println(s.Owner())
		return s.Close()
	}
	// append RUN EPOCH COUNT: that many appends of three events each.
	roles["append"] = func(ctx context.Context, path string, args []string) error {
		s, err := Open(ctx, path)
		if err != nil {
			return err
		}
		for i := range atoi(args[2]) {
			last, err := s.Append(ctx, args[0], int64(atoi(args[1])), texts(3))
			if err != nil {
				return fmt.Errorf("append %d: %w", i, err)
			}
			fmt.Println(last)
		}
		return s.Close()
	}
	// claim RUN PID
	roles["claim"] = func(ctx context.Context, path string, args []string) error {
		s, err := Open(ctx, path)
		if err != nil {
			return err
		}
		epoch, err := s.Claim(ctx, args[0], Driver{PID: atoi(args[1])}, time.Minute, nil)
		var held *HeldError
		switch {
		case errors.As(err, &held):
			fmt.Println("held by", held.Driver.PID)
		case err != nil:
			return err
		default:
			fmt.Println("won", epoch)
		}
		return s.Close()
	}
	// tail RUN: prints each event's number.
	roles["tail"] = func(ctx context.Context, path string, args []string) error {
		s, err := Open(ctx, path)
		if err != nil {
			return err
		}
		for e, err := range s.Tail(ctx, args[0], 0, 0) {
			if err != nil {
				return err
			}
			fmt.Println(e.Seq)
		}
		return s.Close()
	}
}

func atoi(s string) (n int) {
	if _, err := fmt.Sscan(s, &n); err != nil {
		panic(err)
	}
	return n
}
