package wire

import (
	"encoding/json"
	"io/fs"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Generators. Text is what a string field carries; raw is any bytes.

func text() *rapid.Generator[string] { return rapid.String() }

func raw() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "raw")) })
}

func list[V any](g *rapid.Generator[V]) *rapid.Generator[[]V] {
	return rapid.Custom(func(t *rapid.T) []V {
		if s := rapid.SliceOfN(g, 0, 4).Draw(t, "list"); len(s) > 0 {
			return s
		}
		return nil // the wire doesn't tell empty from none
	})
}

func env() *rapid.Generator[map[string]string] {
	return rapid.Custom(func(t *rapid.T) map[string]string {
		if m := rapid.MapOfN(raw(), raw(), 0, 4).Draw(t, "env"); len(m) > 0 {
			return m
		}
		return nil
	})
}

func millis() *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		return Duration(rapid.Int64().Draw(t, "ms"))
	})
}

func some[V ~string](values ...V) *rapid.Generator[V] { return rapid.SampledFrom(values) }

func moment() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "zero") {
			return time.Time{}
		}
		return time.Unix(0, rapid.Int64Range(math.MinInt64+1, math.MaxInt64).Draw(t, "ns"))
	})
}

// stamp is a time of whole milliseconds, or none.
func stamp() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time { return fromUnixMillis(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "ms")) })
}

func mode() *rapid.Generator[fs.FileMode] {
	return rapid.Custom(func(t *rapid.T) fs.FileMode {
		m := fs.FileMode(rapid.Uint32Range(0, 0o777).Draw(t, "perm"))
		for _, bit := range []fs.FileMode{fs.ModeSetuid, fs.ModeSetgid, fs.ModeSticky} {
			if rapid.Bool().Draw(t, "bit") {
				m |= bit
			}
		}
		return m
	})
}

func capabilities() *rapid.Generator[sandbox.Capabilities] {
	return rapid.Custom(func(t *rapid.T) sandbox.Capabilities {
		b := rapid.Bool()
		return sandbox.Capabilities{
			Files: b.Draw(t, "fs"), WritableStdin: b.Draw(t, "stdin"), KillableProcesses: b.Draw(t, "kill"),
			DurableFilesystem: b.Draw(t, "durable"), PTY: b.Draw(t, "pty"), BrokersSecrets: b.Draw(t, "secrets"),
			Ports: b.Draw(t, "ports"), Snapshots: b.Draw(t, "snapshots"), Forks: b.Draw(t, "fork"), Keeps: b.Draw(t, "keep"),
			NetworkPolicy: some(sandbox.NetworkNone, sandbox.NetworkDenyAll, sandbox.NetworkAllowList).Draw(t, "network"),
			Disruption:    some("", sandbox.DisruptionNone, sandbox.DisruptionPause, sandbox.DisruptionStop).Draw(t, "disruption"),
		}
	})
}

func labelsOf() *rapid.Generator[sandbox.Labels] {
	return rapid.Custom(func(t *rapid.T) sandbox.Labels {
		return sandbox.Labels{
			Owner: text().Draw(t, "owner"), HostBoot: text().Draw(t, "boot"), Project: raw().Draw(t, "project"),
			Thread: text().Draw(t, "thread"), Key: text().Draw(t, "key"),
		}
	})
}

func networkOf() *rapid.Generator[sandbox.Network] {
	return rapid.Custom(func(t *rapid.T) sandbox.Network {
		return sandbox.Network{Deny: rapid.Bool().Draw(t, "deny"), AllowHosts: list(text()).Draw(t, "hosts")}
	})
}

func secretOf() *rapid.Generator[sandbox.Secret] {
	return rapid.Custom(func(t *rapid.T) sandbox.Secret {
		return sandbox.Secret{Name: text().Draw(t, "name"), Value: raw().Draw(t, "value")}
	})
}

func server() *rapid.Generator[harness.MCPServer] {
	value := rapid.Custom(func(t *rapid.T) harness.MCPValue {
		return harness.MCPValue{Name: text().Draw(t, "name"), Value: raw().Draw(t, "value"), Secret: rapid.Bool().Draw(t, "secret")}
	})
	return rapid.Custom(func(t *rapid.T) harness.MCPServer {
		return harness.MCPServer{
			Name: text().Draw(t, "server"), URL: text().Draw(t, "url"), Headers: list(value).Draw(t, "headers"),
			Command: raw().Draw(t, "command"), Args: list(raw()).Draw(t, "args"), Env: list(value).Draw(t, "env"),
		}
	})
}

// over sends a message through its encoding.
func over[M proto.Message](t *rapid.T, in, out M) M {
	data, err := proto.Marshal(in)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	if err := proto.Unmarshal(data, out); err != nil {
		t.Fatalf("decode: %v", err)
	}
	return out
}

func same[V any](t *rapid.T, want, got V) {
	sameTime := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), sameTime); diff != "" {
		t.Fatalf("over the wire (-want +got):\n%s", diff)
	}
}

func TestValuesOfAProviderCrossTheWireUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		create := sandbox.CreateRequest{
			Key: text().Draw(t, "key"), Labels: labelsOf().Draw(t, "labels"), Harness: text().Draw(t, "harness"),
			Env: env().Draw(t, "env"), Secrets: list(secretOf()).Draw(t, "secrets"),
			Network: networkOf().Draw(t, "network"), Lifetime: millis().Draw(t, "lifetime"),
		}
		same(t, create, FromCreateRequest(over(t, CreateRequest(create), &pb.CreateSandbox{})))
		resume := sandbox.ResumeRequest{
			ID: text().Draw(t, "id"), Env: create.Env, Secrets: create.Secrets, Network: create.Network, Lifetime: create.Lifetime,
		}
		same(t, resume, FromResumeRequest(over(t, ResumeRequest(resume), &pb.ResumeRequest{})))
		progress := sandbox.Progress{
			Phase: text().Draw(t, "phase"), Detail: text().Draw(t, "detail"), Percent: rapid.IntRange(-1, 100).Draw(t, "percent"),
		}
		same(t, progress, FromProgress(over(t, Progress(progress), &pb.Progress{})))
		summary := sandbox.Summary{
			ID: resume.ID, Labels: create.Labels, State: some(sandbox.StateRunning, sandbox.StateStopped, sandbox.StateUnknown).Draw(t, "state"),
		}
		summary.Created = stamp().Draw(t, "created")
		same(t, summary, FromSummary(over(t, Summary(summary), &pb.SandboxSummary{})))
		info := sandbox.Info{
			Root: raw().Draw(t, "root"), Home: raw().Draw(t, "home"), StateDir: raw().Draw(t, "state"), OS: text().Draw(t, "os"),
			Arch: text().Draw(t, "arch"), User: text().Draw(t, "user"), HostAddress: text().Draw(t, "address"),
			Isolation:    some(sandbox.IsolationNone, sandbox.IsolationContainer, sandbox.IsolationVM).Draw(t, "isolation"),
			KillScope:    some(sandbox.KillCgroup, sandbox.KillMark).Draw(t, "scope"),
			Capabilities: capabilities().Draw(t, "capabilities"),
		}
		id, got := FromInfo(over(t, Info(resume.ID, info), &pb.SandboxInfo{}))
		same(t, info, got)
		same(t, resume.ID, id)
	})
}

func TestSnapshotsAndPortsCrossTheWireUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := text().Draw(t, "id")
		req := sandbox.SnapshotRequest{Label: text().Draw(t, "label"), Labels: labelsOf().Draw(t, "labels")}
		box, got := FromSnapshotRequest(over(t, SnapshotRequest(id, req), &pb.SnapshotSandbox{}))
		same(t, req, got)
		same(t, id, box)
		snap := sandbox.Snapshot{
			ID: id, Label: req.Label, Labels: req.Labels, Created: stamp().Draw(t, "created"), Size: rapid.Int64().Draw(t, "size"),
		}
		same(t, snap, FromSnapshot(over(t, Snapshot(snap), &pb.SnapshotInfo{})))
		port := sandbox.Port{
			URL: text().Draw(t, "url"), Headers: rapid.MapOfN(text(), raw(), 0, 4).Draw(t, "headers"), Expires: stamp().Draw(t, "expires"),
		}
		same(t, port, FromPort(over(t, Port(port), &pb.PortResponse{})))
	})
}

func TestCommandsExitsAndFilesCrossTheWireUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cmd := sandbox.Command{
			ID: text().Draw(t, "id"), Argv: list(raw()).Draw(t, "argv"), Script: raw().Draw(t, "script"),
			Dir: raw().Draw(t, "dir"), Env: env().Draw(t, "env"), User: text().Draw(t, "user"),
			Timeout: millis().Draw(t, "timeout"), MaxOutput: rapid.Int64().Draw(t, "max"), Detached: rapid.Bool().Draw(t, "detached"),
		}
		if rapid.Bool().Draw(t, "tty") {
			cmd.TTY = &sandbox.Size{Rows: rapid.Uint16().Draw(t, "rows"), Cols: rapid.Uint16().Draw(t, "cols")}
		}
		same(t, cmd, FromCommand(over(t, Command(cmd), &pb.Command{})))
		exit := sandbox.Exit{
			Code: int(rapid.Int32().Draw(t, "code")), Signal: int(rapid.Int32().Draw(t, "signal")), OOM: rapid.Bool().Draw(t, "oom"),
			Reason: some(sandbox.ReasonExited, sandbox.ReasonSignaled, sandbox.ReasonTimedOut, sandbox.ReasonOutputLimit,
				sandbox.ReasonUnknown).Draw(t, "reason"),
			Message: text().Draw(t, "message"),
		}
		same(t, exit, FromExit(over(t, Exit(exit), &pb.Exit{})))
		file := sandbox.FileInfo{
			Name: raw().Draw(t, "name"), Kind: some(sandbox.KindFile, sandbox.KindDir, sandbox.KindLink, sandbox.KindOther).Draw(t, "kind"),
			Mode: mode().Draw(t, "mode"), Size: rapid.Int64().Draw(t, "size"), ModTime: moment().Draw(t, "time"), Target: raw().Draw(t, "target"),
		}
		same(t, file, FromFileInfo(over(t, FileInfo(file), &pb.FileInfo{})))
	})
}

func toHarness() *rapid.Generator[harness.ToHarness] {
	data := rapid.Custom(blob)
	return rapid.Custom(func(t *rapid.T) harness.ToHarness {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return &harness.Start{
				Run: text().Draw(t, "run"), Prompt: raw().Draw(t, "prompt"),
				History: list(rapid.Custom(func(t *rapid.T) harness.Message {
					return harness.Message{Role: text().Draw(t, "role"), Text: raw().Draw(t, "text")}
				})).Draw(t, "history"),
				Session: text().Draw(t, "session"), Model: text().Draw(t, "model"), Schema: json.RawMessage(data.Draw(t, "schema")),
				AuthMode: text().Draw(t, "auth"),
				Policy: harness.Policy{
					Default: text().Draw(t, "default"), FileWrite: text().Draw(t, "write"),
					Allow: list(text()).Draw(t, "allow"), Ask: list(text()).Draw(t, "ask"), Deny: list(text()).Draw(t, "deny"),
					Network: text().Draw(t, "network"), AllowHosts: list(text()).Draw(t, "hosts"),
				},
				Workspace: harness.Workspace{Root: raw().Draw(t, "root"), Home: raw().Draw(t, "home"), StateDir: raw().Draw(t, "state")},
				MCP:       list(server()).Draw(t, "mcp"),
				Secrets:   list(text()).Draw(t, "secrets"), Capabilities: capabilities().Draw(t, "capabilities"),
				Isolation: some(sandbox.IsolationNone, sandbox.IsolationVM).Draw(t, "isolation"), Replay: rapid.Bool().Draw(t, "replay"),
			}
		case 1:
			return &harness.Lines{Data: data.Draw(t, "data"), End: rapid.Int64().Draw(t, "end")}
		case 2:
			return &harness.Stderr{Data: data.Draw(t, "data")}
		case 3:
			return &harness.Exit{
				Code: int(rapid.Int32().Draw(t, "code")), Signal: int(rapid.Int32().Draw(t, "signal")), Known: rapid.Bool().Draw(t, "known"),
				Message: text().Draw(t, "message"), Stderr: data.Draw(t, "stderr"),
			}
		case 4:
			return &harness.Decision{
				Ask: text().Draw(t, "ask"), Allow: rapid.Bool().Draw(t, "allow"), Option: text().Draw(t, "option"), Reason: text().Draw(t, "reason"),
			}
		}
		return &harness.Cancel{}
	})
}

func blob(t *rapid.T) []byte {
	if b := rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "blob"); len(b) > 0 {
		return b
	}
	return nil
}

func fromHarness() *rapid.Generator[harness.FromHarness] {
	return rapid.Custom(func(t *rapid.T) harness.FromHarness {
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return &harness.Provision{
				Files: list(rapid.Custom(func(t *rapid.T) harness.File {
					return harness.File{Path: raw().Draw(t, "path"), Data: blob(t), Mode: mode().Draw(t, "mode")}
				})).Draw(t, "files"),
				Warnings: list(rapid.Custom(func(t *rapid.T) harness.Warning {
					return harness.Warning{Code: text().Draw(t, "code"), Text: text().Draw(t, "text")}
				})).Draw(t, "warnings"),
			}
		case 1:
			return &harness.Launch{
				Argv: list(raw()).Draw(t, "argv"), Env: env().Draw(t, "env"), Dir: raw().Draw(t, "dir"),
				Stdin: some(harness.StdinNone, harness.StdinPrompt, harness.StdinDuplex).Draw(t, "stdin"), Prompt: blob(t),
				Programs: list(rapid.Custom(func(t *rapid.T) harness.Program {
					p := harness.Program{Name: text().Draw(t, "name"), Install: text().Draw(t, "install")}
					if rapid.Bool().Draw(t, "has version") {
						p.Version = &harness.Version{Args: list(raw()).Draw(t, "args"), From: text().Draw(t, "from"), Why: text().Draw(t, "why")}
					}
					return p
				})).Draw(t, "programs"),
			}
		case 2:
			return &harness.Events{
				Payloads:   list(rapid.SliceOfN(rapid.Byte(), 1, 8)).Draw(t, "payloads"),
				JournalEnd: rapid.Int64().Draw(t, "end"),
			}
		case 3:
			return &harness.Input{Data: blob(t)}
		case 4:
			return &harness.Input{EOF: true}
		case 6:
			return &harness.Withdraw{Ask: text().Draw(t, "ask")}
		case 5:
			return &harness.Ask{
				ID: text().Draw(t, "id"), Target: raw().Draw(t, "target"), Title: raw().Draw(t, "title"), Dir: raw().Draw(t, "dir"),
				Kind: some(harness.AskCommand, harness.AskFileWrite, harness.AskNetwork, harness.AskTool).Draw(t, "kind"),
				Options: list(rapid.Custom(func(t *rapid.T) harness.Option {
					return harness.Option{
						ID: text().Draw(t, "id"), Name: text().Draw(t, "name"), Allow: rapid.Bool().Draw(t, "allow"), Once: rapid.Bool().Draw(t, "once"),
					}
				})).Draw(t, "options"),
			}
		}
		return &harness.Done{Result: harness.Result{
			Session: text().Draw(t, "session"), CostUSD: rapid.Float64().Draw(t, "cost"), Output: blob(t),
			Reason: some(harness.ReasonOK, harness.ReasonDenied, harness.ReasonCrashed).Draw(t, "reason"), Message: raw().Draw(t, "message"),
			Usage: harness.Usage{
				Input: rapid.Int64().Draw(t, "in"), Output: rapid.Int64().Draw(t, "out"), CacheRead: rapid.Int64().Draw(t, "read"),
				CacheWrite: rapid.Int64().Draw(t, "write"), Reasoning: rapid.Int64().Draw(t, "reasoning"), Total: rapid.Int64().Draw(t, "total"),
				Partial: rapid.Bool().Draw(t, "partial"),
			},
		}}
	})
}

func TestMessagesOfASessionCrossTheWireUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		up := toHarness().Draw(t, "up")
		same(t, up, FromToHarness(over(t, ToHarness(up), &pb.RunRequest{})))
		down := fromHarness().Draw(t, "down")
		messages := FromHarness(down)
		if len(messages) != 1 {
			t.Fatalf("%T became %d messages", down, len(messages))
		}
		same(t, down, FromFromHarness(over(t, messages[0], &pb.RunResponse{})))
	})
}

func TestTheLastInputIsDataThenEnd(t *testing.T) {
	messages := FromHarness(&harness.Input{Data: []byte("x"), EOF: true})
	if len(messages) != 2 || string(messages[0].GetStdin()) != "x" || messages[1].GetStdinEof() == nil {
		t.Errorf("got %v", messages)
	}
}

func TestTextThatIsNotUTF8CanStillBeSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := raw().Draw(t, "bad")
		for _, m := range []proto.Message{
			CreateRequest(sandbox.CreateRequest{
				Key: bad, Harness: bad, Labels: sandbox.Labels{Owner: bad, HostBoot: bad, Thread: bad, Key: bad},
				Secrets: []sandbox.Secret{{Name: bad}}, Network: sandbox.Network{AllowHosts: []string{bad}},
			}),
			SnapshotRequest(bad, sandbox.SnapshotRequest{Label: bad}), Snapshot(sandbox.Snapshot{ID: bad, Label: bad}),
			Port(sandbox.Port{URL: bad, Headers: map[string]string{bad: bad}}),
			ResumeRequest(sandbox.ResumeRequest{ID: bad}), Progress(sandbox.Progress{Phase: bad, Detail: bad}),
			Summary(sandbox.Summary{ID: bad, State: sandbox.State(bad)}), Command(sandbox.Command{ID: bad, User: bad}),
			Info(bad, sandbox.Info{OS: bad, Arch: bad, User: bad, HostAddress: bad, Isolation: sandbox.Isolation(bad)}),
			Exit(sandbox.Exit{Reason: sandbox.ExitReason(bad), Message: bad}), FileInfo(sandbox.FileInfo{Kind: sandbox.FileKind(bad)}),
			ToHarness(&harness.Start{Run: bad, Model: bad, Secrets: []string{bad}}), ToHarness(&harness.Exit{Message: bad}),
			ToHarness(&harness.Decision{Ask: bad, Option: bad, Reason: bad}),
			FromHarness(&harness.Provision{Warnings: []harness.Warning{{Code: bad, Text: bad}}})[0],
			FromHarness(&harness.Launch{Programs: []harness.Program{{Name: bad, Install: bad}}})[0],
			FromHarness(&harness.Ask{ID: bad, Kind: harness.AskKind(bad), Options: []harness.Option{{ID: bad, Name: bad}}})[0],
			FromHarness(&harness.Done{Result: harness.Result{Session: bad, Reason: harness.Reason(bad), Message: bad}})[0],
		} {
			if _, err := proto.Marshal(m); err != nil {
				t.Fatalf("%T: %v", m, err)
			}
		}
		if utf8.ValidString(bad) && Text(bad) != bad {
			t.Fatalf("valid text was changed: %q", bad)
		}
	})
}

func TestDurationsAreRoundedUp(t *testing.T) {
	cases := map[time.Duration]int64{
		0: 0, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, -1: -1, math.MaxInt64: math.MaxInt64/int64(time.Millisecond) + 1,
	}
	for d, want := range cases {
		if got := Millis(d); got != want {
			t.Errorf("%d ns: got %d ms, want %d", d, got, want)
		}
	}
}

// FuzzFromTheWire decodes whatever arrives: no message may crash either end.
func FuzzFromTheWire(f *testing.F) {
	for _, m := range []proto.Message{
		ToHarness(&harness.Start{Run: "r"}), FromHarness(&harness.Launch{Argv: []string{"a"}})[0],
		Command(sandbox.Command{ID: "c", Argv: []string{"a"}, TTY: &sandbox.Size{Rows: 1}}),
		Info("id", sandbox.Info{Root: "/"}), FileInfo(sandbox.FileInfo{Name: "n"}),
	} {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		decode(data, &pb.RunRequest{}, func(m *pb.RunRequest) { FromToHarness(m) })
		decode(data, &pb.RunResponse{}, func(m *pb.RunResponse) { FromFromHarness(m) })
		decode(data, &pb.Command{}, func(m *pb.Command) { FromCommand(m) })
		decode(data, &pb.CreateSandbox{}, func(m *pb.CreateSandbox) { FromCreateRequest(m) })
		decode(data, &pb.ResumeRequest{}, func(m *pb.ResumeRequest) { FromResumeRequest(m) })
		decode(data, &pb.SandboxInfo{}, func(m *pb.SandboxInfo) { FromInfo(m) })
		decode(data, &pb.SandboxSummary{}, func(m *pb.SandboxSummary) { FromSummary(m) })
		decode(data, &pb.FileInfo{}, func(m *pb.FileInfo) { FromFileInfo(m) })
		decode(data, &pb.Exit{}, func(m *pb.Exit) { FromExit(m) })
		decode(data, &pb.SnapshotSandbox{}, func(m *pb.SnapshotSandbox) { FromSnapshotRequest(m) })
		decode(data, &pb.SnapshotInfo{}, func(m *pb.SnapshotInfo) { FromSnapshot(m) })
		decode(data, &pb.PortResponse{}, func(m *pb.PortResponse) { FromPort(m) })
		decode(data, &pb.Progress{}, func(m *pb.Progress) { FromProgress(m) })
	})
}

func decode[M proto.Message](data []byte, m M, convert func(M)) {
	if proto.Unmarshal(data, m) == nil {
		convert(m)
	}
}
