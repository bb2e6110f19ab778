package plugin_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// counted counts what is written and drops it.
type counted struct{ n atomic.Int64 }

func (c *counted) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// rss is a process's resident memory in bytes.
func rss(t *testing.T, pid string) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("process %s tells no VmRSS", pid)
	return 0
}

func TestEightProcessesThatPrintMuchTakeNoMemory(t *testing.T) {
	c, _ := launched(t)
	sb := boxed(t, c)
	self := strconv.Itoa(os.Getpid())
	const mibEach = 100
	before := map[string]int64{self: rss(t, self), c.PID(): rss(t, c.PID())}
	most := map[string]int64{}

	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			var out counted
			p, err := sb.Start(t.Context(), sandbox.Command{
				ID: fmt.Sprint("p", i), Script: fmt.Sprintf("head -c %d /dev/zero", mibEach<<20), Stdout: &out,
			})
			if err != nil {
				t.Error(err)
				return
			}
			if exit, err := p.Wait(t.Context()); err != nil || !exit.Ok() || out.n.Load() != mibEach<<20 {
				t.Errorf("process %d: %d bytes, %+v, %v", i, out.n.Load(), exit, err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for sampling := true; sampling; {
		for pid := range before {
			most[pid] = max(most[pid], rss(t, pid))
		}
		select {
		case <-tick.C:
		case <-done:
			sampling = false
		}
	}
	for pid, was := range before {
		if grown := most[pid] - was; grown > 100<<20 {
			t.Errorf("process %s grew by %d MiB for %d MiB of output", pid, grown>>20, 8*mibEach)
		}
	}
}

func TestASlowReaderBlocksTheProcess(t *testing.T) {
	c, _ := launched(t)
	sb := boxed(t, c)
	slow := &gate{open: make(chan struct{})}
	progress := "progress"
	p, err := sb.Start(t.Context(), sandbox.Command{
		ID: "p", Stdout: slow,
		Script: fmt.Sprintf(`i=0; while [ $i -lt 100 ]; do head -c 1048576 /dev/zero; i=$((i+1)); echo $i > %s; done`, progress),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := sb.(sandbox.Filer).Files()
	written := func() int64 {
		out, err := sandbox.Exec(t.Context(), sb, sandbox.Command{ID: "look", Argv: []string{"cat", progress}})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(strings.TrimSpace(string(out.Stdout))) // not written yet: 0
		return int64(n)
	}
	// It stands still once the windows and buffers are full: the same number,
	// while time passes.
	last := settled(t, written)
	if last >= 20 {
		t.Errorf("%d MiB were taken from a process whose reader takes nothing", last)
	}
	if _, err := f.Stat(t.Context(), progress); err != nil {
		t.Errorf("another call beside it: %v", err)
	}
	close(slow.open)
	if exit, err := p.Wait(t.Context()); err != nil || !exit.Ok() || slow.n.Load() != 100<<20 {
		t.Errorf("got %d bytes, %+v, %v", slow.n.Load(), exit, err)
	}
}

// gate blocks its writer until it is opened.
type gate struct {
	counted
	open chan struct{}
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.counted.Write(p)
}

func TestAProcessThatDoesNotReadBlocksItsWriter(t *testing.T) {
	c, _ := launched(t)
	sb := boxed(t, c)
	source := &meter{}
	p, err := sb.Start(t.Context(), sandbox.Command{ID: "p", Script: "sleep 60", Stdin: source})
	if err != nil {
		t.Fatal(err)
	}
	last := settled(t, source.n.Load)
	if last == 0 || last > 20<<20 {
		t.Errorf("%d bytes of stdin were taken for a process that reads nothing", last)
	}
	if err := sb.Kill(t.Context(), "p", 0); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(t.Context()); err != nil || exit.Signal == 0 {
		t.Errorf("a kill must get past the stdin: %+v, %v", exit, err)
	}
}

// meter is endless and counts what was read.
type meter struct{ n atomic.Int64 }

func (m *meter) Read(p []byte) (int, error) {
	clear(p)
	m.n.Add(int64(len(p)))
	return len(p), nil
}

func TestALineOf32MiBArrivesWhole(t *testing.T) {
	c, _ := launched(t)
	sb := boxed(t, c)
	var out bytes.Buffer
	exit := sh(t, sb, sandbox.Command{
		ID: "p", Script: `head -c 33554432 /dev/zero | tr '\0' x; echo; echo end`, Stdout: &out,
	})
	lines := bytes.Split(out.Bytes(), []byte("\n"))
	if !exit.Ok() || len(lines) != 3 || len(lines[0]) != 32<<20 || string(lines[1]) != "end" {
		t.Errorf("got %d bytes in %d lines, exit %+v", out.Len(), len(lines), exit)
	}
}

func TestManyPluginsLiveSideBySide(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			c, _ := launched(t, func(o *plugin.LaunchOptions) { o.SocketDir = dir })
			out, err := sandbox.Exec(t.Context(), boxed(t, c), sandbox.Command{ID: "p", Script: "echo x"})
			if err != nil || string(out.Stdout) != "x\n" {
				t.Errorf("got %q, %v", out.Stdout, err)
			}
		})
	}
	group.Wait()
}
