package providertest

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func capabilityCases() []testCase {
	return []testCase{
		{"capabilities narrow from describe to provider to sandbox, never widen", narrowing},
		{"fs is what it says", capFiles},
		{"ports is what it says", capPorts},
		{"snapshots is what it says", capSnapshots},
		{"fork is what it says", capFork},
		{"keep_alive is what it says", capKeep},
		{"writable_stdin is what it says", capStdin},
		{"killable_processes is what it says", capKill},
		{"pty is what it says", capPTY},
		{"brokers_secrets is what it says", capSecrets},
		{"network_policy is what it says", capNetwork},
	}
}

func narrowing(b *bed) {
	provider := b.first().Capabilities()
	if promised := b.suite.plugins[0].Promised; promised != nil {
		for _, name := range wider(provider, *promised) {
			b.Errorf("the provider has %s, which describe doesn't promise", name)
		}
	}
	for _, name := range wider(b.sb.Info().Capabilities, provider) {
		b.Errorf("the sandbox has %s, which the provider doesn't have", name)
	}
	if again := b.second().Capabilities(); again != provider {
		b.Errorf("two plugin processes of one configuration: %+v and %+v", provider, again)
	}
}

// wider names what a has and b hasn't.
func wider(a, b sandbox.Capabilities) []string {
	var names []string
	for _, f := range []struct {
		name string
		a, b bool
	}{
		{"fs", a.Files, b.Files},
		{"ports", a.Ports, b.Ports},
		{"snapshots", a.Snapshots, b.Snapshots},
		{"fork", a.Forks, b.Forks},
		{"keep_alive", a.Keeps, b.Keeps},
		{"writable_stdin", a.WritableStdin, b.WritableStdin},
		{"killable_processes", a.KillableProcesses, b.KillableProcesses},
		{"durable_filesystem", a.DurableFilesystem, b.DurableFilesystem},
		{"pty", a.PTY, b.PTY},
		{"brokers_secrets", a.BrokersSecrets, b.BrokersSecrets},
		{"disruption", harm(a.Disruption) >= 0, harm(a.Disruption) <= harm(b.Disruption)},
		{"network_policy", reach(a.NetworkPolicy) > 0, reach(b.NetworkPolicy) >= reach(a.NetworkPolicy)},
	} {
		if f.a && !f.b {
			names = append(names, f.name)
		}
	}
	return names
}

// reach orders network policies by what they can do; -1 for what is none.
func reach(p sandbox.NetworkPolicy) int {
	switch p {
	case sandbox.NetworkNone:
		return 0
	case sandbox.NetworkDenyAll:
		return 1
	case sandbox.NetworkAllowList:
		return 2
	}
	return -1
}

// harm orders disruptions by what they do to a process; -1 for none at all.
func harm(d sandbox.Disruption) int {
	return slices.Index([]sandbox.Disruption{sandbox.DisruptionNone, sandbox.DisruptionPause, sandbox.DisruptionStop}, d)
}

func capFiles(b *bed) {
	filer, err := sandbox.As[sandbox.Filer](b.sb)
	if !b.sb.Info().Capabilities.Files {
		b.mustBeUnsupported("ask for files", "fs", err)
		if raw, ok := b.sb.(sandbox.Filer); ok {
			_, err := raw.Files().Stat(b.ctx, ".")
			b.mustBeUnsupported("stat", "fs", err)
		}
		return
	}
	b.noError("ask for files", err)
	if info, err := filer.Files().Stat(b.ctx, "."); err != nil || info.Kind != sandbox.KindDir {
		b.Errorf("stat of the root: %+v %v", info, err)
	}
}

func capStdin(b *bed) {
	if !b.sb.Info().Capabilities.WritableStdin {
		r := b.run(sandbox.Command{Script: "cat", Stdin: strings.NewReader("all at once")})
		if string(r.stdout) != "all at once" {
			b.Errorf("stdin given at once came as %q", r.stdout)
		}
		return
	}
	in, out := newGate(b), newGate(b)
	p := b.start(b.sb, sandbox.Command{
		ID: "talk", Script: `while read -r line; do echo "got $line"; done; echo over`, Stdin: in.reader, Stdout: out.writer,
	})
	answers := bufio.NewReader(out.reader)
	for _, word := range []string{"one", "two"} {
		b.soon("a line and its answer", func() {
			_, _ = io.WriteString(in.writer, word+"\n")
			if got, err := answers.ReadString('\n'); got != "got "+word+"\n" {
				b.Errorf("answer %q %v", got, err)
			}
		})
	}
	b.noError("close stdin", in.writer.Close())
	if got, _ := answers.ReadString('\n'); got != "over\n" {
		b.Errorf("after the end of stdin %q", got)
	}
	if exit := b.wait(p); !exit.Ok() {
		b.Errorf("exit %+v", exit)
	}
}

func capKill(b *bed) {
	if b.sb.Info().Capabilities.KillableProcesses {
		return // most of the suite is about it
	}
	b.start(b.sb, sandbox.Command{ID: "long", Script: "sleep 30"})
	b.mustBeUnsupported("kill", "killable_processes", b.sb.Kill(b.ctx, "long", 0))
}

func capSecrets(b *bed) {
	req := b.requestFor(newKey())
	value := "secret-" + newKey()
	req.Secrets = []sandbox.Secret{{Name: "A_TOKEN", Value: value}}
	if !b.first().Capabilities().BrokersSecrets {
		b.refusedCreate(req, "brokers_secrets")
		_, err := b.first().Resume(b.ctx, sandbox.ResumeRequest{ID: b.sb.ID(), Secrets: req.Secrets})
		b.mustBeUnsupported("resume", "brokers_secrets", err)
		return
	}
	sb := b.create(req)
	out := b.shIn(sb, "env")
	if strings.Contains(out, value) || !strings.Contains(out, "A_TOKEN=") {
		b.Errorf("the environment must hold A_TOKEN without its value")
	}
}

// refusedCreate checks that a create is refused and leaves nothing.
func (b *bed) refusedCreate(req sandbox.CreateRequest, capability string) {
	b.Helper()
	sb, err := b.first().Create(b.ctx, req)
	b.mustBeUnsupported("create", capability, err)
	if err == nil {
		b.destroyAtEnd(sb.ID())
	} else if left := b.listed(b.first(), req.Key); len(left) != 0 {
		b.Errorf("a refused create left %+v", left)
	}
}

func capNetwork(b *bed) {
	policy := b.first().Capabilities().NetworkPolicy
	if reach(policy) < 0 {
		b.Fatalf("network policy %q", policy)
	}
	deny := b.requestFor(newKey())
	deny.Network = sandbox.Network{Deny: true}
	some := b.requestFor(newKey())
	some.Network = sandbox.Network{Deny: true, AllowHosts: []string{"allowed.example"}}
	if policy == sandbox.NetworkNone {
		b.refusedCreate(deny, "network_policy")
		_, err := b.first().Resume(b.ctx, sandbox.ResumeRequest{ID: b.sb.ID(), Network: deny.Network})
		b.mustBeUnsupported("resume", "network_policy", err)
	}
	if policy != sandbox.NetworkAllowList {
		b.refusedCreate(some, "network_policy")
	}
	if policy == sandbox.NetworkNone {
		return
	}
	probe := sandbox.Command{Script: b.suite.opts.OpenNetwork}
	if probe.Script == "" {
		b.Fatalf("network policy %q can't be tried: Options.OpenNetwork isn't set", policy)
	}
	if r := b.run(probe); !r.exit.Ok() {
		b.Fatalf("the network is closed without being asked to: %+v %q", r.exit, r.stderr)
	}
	for _, req := range []sandbox.CreateRequest{deny, some} {
		if len(req.Network.AllowHosts) > 0 && policy != sandbox.NetworkAllowList {
			continue
		}
		sb := b.create(req)
		if r := b.runIn(sb, probe); r.exit.Ok() {
			b.Errorf("network %+v: it is open", req.Network)
		}
		again, err := b.first().Resume(b.ctx, sandbox.ResumeRequest{ID: sb.ID()})
		b.noError("resume", err)
		if r := b.runIn(again, probe); r.exit.Ok() {
			b.Errorf("network %+v: a resume that says nothing of it has opened it", req.Network)
		}
	}
}
