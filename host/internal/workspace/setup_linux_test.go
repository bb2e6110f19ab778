package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// shells are those that a sandbox's /bin/sh may be.
var shells = [][]string{{"dash"}, {"bash", "--posix"}, {"bash"}, {"busybox", "sh"}}

// said is what a setup printed, by step and stream.
type said struct {
	mu     sync.Mutex
	text   map[string]string
	pieces int
	phases []Phase
}

func (s *said) output(o Output) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[fmt.Sprintf("%d %s", o.Step, o.Stream)] += o.Text
	s.pieces++
}

func (s *said) phase(p Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases = append(s.phases, p)
}

func setUp(ctx context.Context, b *box, blocks ...config.Setup) (*said, error) {
	return setUpWith(ctx, b, func(Output) {}, blocks...)
}

func setUpWith(ctx context.Context, b *box, heard func(Output), blocks ...config.Setup) (*said, error) {
	s := &said{text: map[string]string{}}
	for i := range blocks {
		if blocks[i].Timeout == 0 {
			blocks[i].Timeout = time.Minute
		}
	}
	err := Bootstrap(ctx, b, What{
		Workspace: config.Workspace{Setup: blocks}, Env: map[string]string{"GIVEN": "it's given"}, Output: func(o Output) { s.output(o); heard(o) },
	}, s.phase)
	return s, err
}

func run(commands ...string) config.Setup { return config.Setup{Run: commands} }

// TestStepsShareAShell holds what a step may do, in every shell.
func TestStepsShareAShell(t *testing.T) {
	cases := []struct {
		name     string
		commands []string
		want     map[string]string // by step and stream
		code     int               // of the failure; 0: none
		step     int               // that fails
	}{
		{
			"cd, export, variables and functions carry over",
			[]string{"mkdir d; cd d; export E=1; V=2; f() { echo f; }", "echo ${PWD##*/} $E $V; f"},
			map[string]string{"2 stdout": "d 1 2\nf\n"},
			0, 0,
		},
		{"the environment is there", []string{`echo "$GIVEN"; [ "$SANDLOT_WORKSPACE" = "$(pwd)" ] && echo here`}, map[string]string{"1 stdout": "it's given\nhere\n"}, 0, 0},
		{"both streams are told apart", []string{"echo out; echo err >&2"}, map[string]string{"1 stdout": "out\n", "1 stderr": "err\n"}, 0, 0},
		{"output without a line end is whole", []string{"printf a", "printf b >&2"}, map[string]string{"1 stdout": "a", "2 stderr": "b"}, 0, 0},
		{"a failure stops the rest", []string{"echo a; (exit 7)", "echo b"}, map[string]string{"1 stdout": "a\n"}, 7, 1},
		{"a command that isn't there", []string{"echo a", "nosuchprogram-x"}, nil, 127, 2},
		{"exit with a code", []string{"echo a; exit 3"}, map[string]string{"1 stdout": "a\n"}, 3, 1},
		{"exit 0 ends the step alone", []string{"mkdir d; cd d; export E='1 2'", "exit 0", "echo ${PWD##*/} $E"}, map[string]string{"3 stdout": "d 1 2\n"}, 0, 0},
		{"exec", []string{"exec echo a", "echo b"}, map[string]string{"1 stdout": "a\n", "2 stdout": "b\n"}, 0, 0},
		{"set -e ends the step at its first failure", []string{"set -e; false; echo not", "echo b"}, map[string]string{}, 1, 1},
		{"set -e that nothing trips over", []string{"set -e", "echo b"}, map[string]string{"2 stdout": "b\n"}, 0, 0},
		{"a later step under set -e", []string{"set -e", "false; echo not"}, map[string]string{}, 1, 2},
		{"set -u", []string{"set -u", "echo ok", "echo $NOT_SET; echo not"}, nil, -2, 3},
		{"set -v", []string{"set -v", "echo a"}, nil, 0, 0},
		{"set -x", []string{"set -x", "echo a", "exit 4"}, nil, 4, 3},
		{"stdin is empty", []string{"cat; read x || echo none", "echo b"}, map[string]string{"1 stdout": "none\n", "2 stdout": "b\n"}, 0, 0},
		{"a closed stdout", []string{"exec >&- 2>&-", "echo b; echo c >&2"}, map[string]string{"2 stdout": "b\n", "2 stderr": "c\n"}, 0, 0},
		{"a redirected stdout", []string{"exec >f 2>&1; echo x", "cat f"}, map[string]string{"2 stdout": "x\n"}, 0, 0},
		{"closing what isn't its own", []string{"exec 8>&- 9>&-; echo a", "echo b"}, map[string]string{"1 stdout": "a\n", "2 stdout": "b\n"}, 0, 0},
		{"a comment at the end", []string{"echo a # b", "echo c"}, map[string]string{"1 stdout": "a\n", "2 stdout": "c\n"}, 0, 0},
		{"a here document", []string{"cat <<X\na\nX", "echo b"}, map[string]string{"1 stdout": "a\n", "2 stdout": "b\n"}, 0, 0},
		{"quotes and lines", []string{"echo 'a'\necho \"b'c\"\\\\"}, map[string]string{"1 stdout": "a\nb'c\\\n"}, 0, 0},
		{
			"an echo of what looks like our own word",
			[]string{"echo sandlot-00112233445566778899aabbccddeeffa 0"},
			map[string]string{"1 stdout": "sandlot-00112233445566778899aabbccddeeffa 0\n"},
			0, 0,
		},
		{"bytes that are no text", []string{`printf 'a\377\303'; printf '\251b'`}, map[string]string{"1 stdout": "a\ufffdéb"}, 0, 0},
		{"something left running prints on", []string{"(while :; do echo .; done) & echo", "exit 0"}, nil, 0, 0},
	}
	for _, shell := range shells {
		for _, c := range cases {
			t.Run(strings.Join(shell, " ")+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				got, err := setUp(t.Context(), newBox(t, shell...), run(c.commands...))
				failed, _ := errors.AsType[*StepError](err)
				switch {
				case c.code == 0 && err != nil, c.code != 0 && failed == nil:
					t.Fatal(err)
				case failed != nil && (failed.Step != c.step || c.code > 0 && failed.Code != c.code || failed.Command != c.commands[c.step-1]):
					t.Errorf("step %d, code %d: %v", failed.Step, failed.Code, failed)
				}
				for key, text := range got.text {
					if strings.Contains(text, "sandlot_code") || strings.Contains(text, "printf '%s") {
						t.Errorf("%s shows what is ours: %q", key, text)
					}
				}
				if diff := cmp.Diff(c.want, got.text); c.want != nil && diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestASyntaxErrorIsTheStepsOwn(t *testing.T) {
	for _, shell := range shells {
		for _, command := range []string{"if", "echo 'a", "echo $(", "done", "{", "cat <<X\n$("} {
			t.Run(strings.Join(shell, " ")+"/"+command, func(t *testing.T) {
				t.Parallel()
				got, err := setUp(t.Context(), newBox(t, shell...), run("echo a", command))
				failed, ok := errors.AsType[*StepError](err)
				if !ok || failed.Step != 2 || failed.Code == 0 || failed.Tail == "" {
					t.Errorf("%v, %v", err, got.text)
				}
			})
		}
	}
}

func TestWithoutLaterInputEachStepHasAShell(t *testing.T) {
	for _, shell := range shells {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			b := newBox(t, shell...)
			b.early = true
			got, err := setUp(t.Context(), b, run("mkdir 'a b'; cd 'a b'; export E=\"it's\n1\"; echo x", "echo ${PWD##*/}; echo \"$E\"; echo e >&2", "exit 3"))
			want := map[string]string{"1 stdout": "x\n", "2 stdout": "a b\nit's\n1\n", "2 stderr": "e\n"}
			if diff := cmp.Diff(want, got.text); diff != "" {
				t.Error(diff)
			}
			if failed, ok := errors.AsType[*StepError](err); !ok || failed.Step != 3 || failed.Code != 3 {
				t.Error(err)
			}
		})
	}
}

func TestAStepIsTriedAgainWhereTheLastOneEnded(t *testing.T) {
	for _, shell := range shells {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			t.Parallel()
			again := run("mkdir d; cd d; export E=1; (while :; do sleep 1; done) & echo $! >pid",
				"echo x >>tries; cd ..; E=2; [ $(wc -l <d/tries) -ge 2 ]", "[ -d d ] && echo $E; kill -0 $(cat d/pid) && echo still there")
			again.Retries = 1
			got, err := setUp(t.Context(), newBox(t, shell...), again)
			if err != nil || got.text["3 stdout"] != "2\nstill there\n" {
				t.Errorf("%v, %q", err, got.text)
			}
		})
	}
}

func TestARetryBeginsInTheStateOfTheLastSuccess(t *testing.T) {
	for _, c := range []struct {
		name, fail string
		shells     [][]string
	}{
		{"after a failure", "false", shells}, {"after an exit", "exit 9", shells}, {"after a timeout", "sleep 60", shells[:1]}, {"after a kill", "kill -9 $$", shells[:1]},
	} {
		for _, shell := range c.shells {
			t.Run(c.name+"/"+strings.Join(shell, " "), func(t *testing.T) {
				t.Parallel()
				b := run("mkdir d; cd d; export E=1", "echo x >>tries; pwd >>where; echo $E >>where; cd ..; E=2; if [ $(wc -l <d/tries) -lt 2 ]; then "+c.fail+"; fi", "cat d/where")
				b.Retries, b.Timeout = 1, 3*time.Second
				box := newBox(t, shell...)
				got, err := setUp(t.Context(), box, b)
				one := box.root + "/d\n1\n"
				if err != nil || got.text["3 stdout"] != one+one {
					t.Errorf("%v, %q", err, got.text)
				}
			})
		}
	}
}

func TestAStepThatFailsToTheEndSaysHowOften(t *testing.T) {
	b := run("echo try; exit 4")
	b.Retries = 1
	_, err := setUp(t.Context(), newBox(t), b)
	failed, ok := errors.AsType[*StepError](err)
	if !ok || failed.Attempts != 2 || failed.Code != 4 || failed.Tail != "try" || !strings.Contains(err.Error(), "as did the attempt before") {
		t.Errorf("%+v", err)
	}
}

func TestAStepThatTakesTooLongIsKilledWithAllItStarted(t *testing.T) {
	b := run("echo before; sleep 1000 & sleep 1000", "echo never")
	b.Timeout = 200 * time.Millisecond
	box := newBox(t)
	got, err := setUp(t.Context(), box, b)
	failed, ok := errors.AsType[*StepError](err)
	if !ok || failed.Step != 1 || failed.How != "took longer than 200ms" || failed.Tail != "before" || got.text["2 stdout"] != "" {
		t.Errorf("%v, %q", err, got.text)
	}
	box.nothingLeft()
}

func TestACancelEndsAStepAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	box := newBox(t)
	_, err := setUpWith(ctx, box, func(Output) { cancel(enough) }, run("echo x; sleep 1000 & sleep 1000"))
	if !errors.Is(err, enough) {
		t.Error(err)
	}
	box.nothingLeft()
}

func TestWhatABlockLeavesRunningEndsWithItAndIsNamed(t *testing.T) {
	box := newBox(t)
	got, err := setUp(t.Context(), box, run("sleep 1000 & echo x"), run("echo y"))
	if err != nil || got.text["2 stdout"] != "y\n" {
		t.Errorf("%v, %q", err, got.text)
	}
	if !slices.ContainsFunc(got.phases, func(p Phase) bool { return strings.Contains(p.Detail, "left it running: something") }) {
		t.Errorf("%+v", got.phases)
	}
	box.nothingLeft()
}
