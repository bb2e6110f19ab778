//go:build unix

package plugins_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// crash makes one call of a plugin with a fault, and returns its error with the
// report's path as REPORT, and the report.
func crash(t *testing.T, p *plugins.Plugins, home string, conf string) (message, report string) {
	t.Helper()
	provider, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
		Type: "probe", Run: "run-1", Environ: append(os.Environ(), "PROBE_TOKEN=sesame-open"),
		Scrub: func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "hunter2", "***")) },
	}, plugins.Configure{Config: []byte(conf), Block: `provider "probe" "p"`, At: "sandlot.hcl:12"})
	if err == nil {
		defer func() { _ = proc.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err = provider.List(ctx)
	}
	if err == nil {
		t.Fatal("nothing crashed")
	}
	path := regexp.MustCompile(regexp.QuoteMeta(home) + `/crashes/[^ ]*\.txt`).FindString(err.Error())
	if path == "" {
		return err.Error(), ""
	}
	text, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return strings.ReplaceAll(err.Error(), path, "REPORT"), string(text)
}

func TestACrashIsOneLineAndAReport(t *testing.T) {
	cases := []struct {
		name, config, line string
		report             []string
	}{
		{
			"a panic in a call", `{"fault":"panic","say":"hunter2"}`,
			`the probe plugin crashed (panic: a bug in a call: ***) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"end:       it goes on: the panic was caught in the call", "main.fail(", "testdata/plugin/fault.go"},
		},
		{
			"a nil pointer", `{"fault":"nil"}`,
			`the probe plugin crashed (panic: runtime error: invalid memory address or nil pointer dereference) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"main.fail("},
		},
		{
			"a panic in a goroutine", `{"fault":"goroutine"}`,
			`list sandboxes: the probe plugin crashed (panic: a bug elsewhere) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"end:       exited with code 2", "calls:     List", "goroutine ", "main.fail.gowrap1"},
		},
		{
			"concurrent map writes", `{"fault":"maps"}`,
			`list sandboxes: the probe plugin crashed (fatal error: concurrent map writes) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"main.fail.func1"},
		},
		{
			"a stack that overflows", `{"fault":"stack"}`,
			`list sandboxes: the probe plugin crashed (fatal error: stack overflow) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"main.deeper("},
		},
		{
			"an exit", `{"fault":"exit"}`,
			`list sandboxes: the probe plugin exited with code 7 (the licence has run out) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"end:       exited with code 7", "The last that it wrote to stderr:\n\n", "\nthe licence has run out\n"},
		},
		{
			"a kill", `{"fault":"kill"}`,
			`list sandboxes: the probe plugin was killed (SIGKILL: by somebody, or by the system for want of memory) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"end:       ended by SIGKILL"},
		},
		{
			"a segmentation violation", `{"fault":"segv"}`,
			`list sandboxes: the probe plugin crashed (SIGSEGV: segmentation violation) in List, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"SIGSEGV"},
		},
		{
			"a panic in Configure", `{"early":"panic"}`,
			`the probe plugin crashed (panic: a bug in a call: ***) in Configure, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"calls:     Configure"},
		},
		{
			"an exit in Configure", `{"early":"exit"}`,
			`configure sandlot-provider-probe: the probe plugin exited with code 7 (the licence has run out) in Configure, provider "probe" "p" at sandlot.hcl:12; report: REPORT`,
			[]string{"calls:     Configure"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, home := probe(t)
			line, report := crash(t, p, home, c.config)
			if diff := cmp.Diff(c.line, line); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
			for _, words := range append(c.report,
				"plugin:    provider \"probe\" 0.1.0\n", "sdk:       "+plugin.SDKVersion+", protocol 1\n", "program:   "+home+"/plugins/sandlot-provider-probe\n",
				"block:     provider \"probe\" \"p\" at sandlot.hcl:12\n", "run:       run-1\n", "report to: https://example.com/probe/issues\n",
			) {
				if !strings.Contains(report, words) {
					t.Errorf("the report hasn't %q:\n%s", words, report)
				}
			}
			if !regexp.MustCompile(`sha256:    [0-9a-f]{64}\n`).MatchString(report) {
				t.Errorf("no checksum in\n%s", report)
			}
			for _, secret := range []string{"hunter2", "sesame-open", c.config} {
				if strings.Contains(report, secret) {
					t.Errorf("the report has %s:\n%s", secret, report)
				}
			}
		})
	}
}

func TestReportsArePrivateAndFew(t *testing.T) {
	p, home := probe(t)
	folder := filepath.Join(home, "crashes")
	must(t, os.MkdirAll(folder, 0o700))
	for i := range 30 {
		must(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("20200101T0000%02d.000Z-old.txt", i)), nil, 0o600))
	}
	crash(t, p, home, `{"fault":"panic"}`)
	list, err := os.ReadDir(folder)
	must(t, err)
	if len(list) != 20 || list[0].Name() != "20200101T000011.000Z-old.txt" || !strings.HasSuffix(list[19].Name(), "-probe.txt") {
		t.Errorf("kept: %v", list)
	}
	info, err := list[len(list)-1].Info()
	must(t, err)
	if info.Mode().Perm() != 0o600 || info.Size() > 64<<10 {
		t.Errorf("mode %s, %d bytes", info.Mode(), info.Size())
	}
}

func TestACrashIsToldWhereNoReportCanBeWritten(t *testing.T) {
	p, home := probe(t)
	must(t, os.WriteFile(filepath.Join(home, "crashes"), nil, 0o600))
	line, _ := crash(t, p, home, `{"fault":"panic"}`)
	want := `the probe plugin crashed (panic: a bug in a call: ***) in List, provider "probe" "p" at sandlot.hcl:12 (report it at https://example.com/probe/issues)`
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestACrashThatNoCallMeetsIsReported(t *testing.T) {
	p, home := probe(t)
	_, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{Type: "probe", Environ: os.Environ()}, plugins.Configure{})
	must(t, err)
	defer func() { _ = proc.Close() }()
	killPID(t, proc.PID())
	awaitFile(t, filepath.Join(home, "crashes", "*-probe.txt"))
}

func TestAnEndThatWasAskedForIsNoCrash(t *testing.T) {
	p, home := probe(t)
	for _, config := range []string{`{}`, `{"fault":"stubborn"}`} {
		provider, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
			Type: "probe", Environ: os.Environ(), CloseTimeout: 200 * time.Millisecond,
		}, plugins.Configure{Config: []byte(config)})
		must(t, err)
		if _, err := provider.List(t.Context()); err != nil {
			t.Error(err)
		}
		began := time.Now()
		must(t, proc.Close())
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: the end took %s", config, took)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, "crashes", "*")); len(left) > 0 {
		t.Errorf("reports of what wasn't a crash: %v", left)
	}
}

func TestACrashIsNotSpreadOverTheLog(t *testing.T) {
	for _, fault := range []string{"panic", "goroutine", "maps", "stack", "segv"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, _ := probe(t)
			log := &records{}
			provider, proc, err := p.LaunchProvider(t.Context(), plugins.LaunchOptions{
				Type: "probe", Environ: os.Environ(), Log: slog.New(slog.NewJSONHandler(log, nil)),
			}, plugins.Configure{Config: []byte(`{"fault":"` + fault + `"}`)})
			must(t, err)
			if _, err := provider.List(t.Context()); err == nil {
				t.Error("nothing crashed")
			}
			must(t, proc.Close()) // all that it wrote is in
			for _, m := range log.lines(t) {
				if msg := fmt.Sprint(m["msg"]); m["level"] == "ERROR" || strings.Contains(msg, "crash") || strings.HasPrefix(msg, "goroutine ") {
					t.Errorf("the log has %v", m)
				}
			}
		})
	}
}
