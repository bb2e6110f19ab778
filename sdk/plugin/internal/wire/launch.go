package wire

import (
	"maps"
	"slices"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

func launch(l *harness.Launch) *pb.Launch {
	out := &pb.Launch{
		Argv: each(l.Argv, toBytes), Dir: toBytes(l.Dir), Stdin: Text(string(l.Stdin)), Prompt: l.Prompt,
		Programs: each(l.Programs, program),
	}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		out.Env = append(out.Env, &pb.LaunchVar{Name: []byte(name), Value: []byte(l.Env[name])})
	}
	return out
}

func fromLaunch(l *pb.Launch) *harness.Launch {
	out := &harness.Launch{
		Argv: each(l.GetArgv(), fromBytes), Dir: fromBytes(l.GetDir()),
		Stdin: harness.Stdin(l.GetStdin()), Prompt: l.GetPrompt(),
		Programs: each(l.GetPrograms(), fromProgram),
	}
	for _, v := range l.GetEnv() {
		if out.Env == nil {
			out.Env = map[string]string{}
		}
		out.Env[string(v.GetName())] = string(v.GetValue())
	}
	return out
}

func program(p harness.Program) *pb.Program {
	out := &pb.Program{Name: Text(p.Name), Install: Text(p.Install)}
	if v := p.Version; v != nil {
		out.Version = &pb.Version{Args: each(v.Args, toBytes), From: Text(v.From), Why: Text(v.Why)}
	}
	return out
}

func fromProgram(p *pb.Program) harness.Program {
	out := harness.Program{Name: p.GetName(), Install: p.GetInstall()}
	if v := p.GetVersion(); v != nil {
		out.Version = &harness.Version{Args: each(v.GetArgs(), fromBytes), From: v.GetFrom(), Why: v.GetWhy()}
	}
	return out
}

func result(r harness.Result) *pb.Done {
	return &pb.Done{
		Session: Text(r.Session), CostUsd: r.CostUSD, Output: r.Output,
		Reason: Text(string(r.Reason)), Message: toBytes(r.Message),
		Usage: &pb.Usage{
			Input: r.Usage.Input, Output: r.Usage.Output, CacheRead: r.Usage.CacheRead,
			CacheWrite: r.Usage.CacheWrite, Reasoning: r.Usage.Reasoning, Total: r.Usage.Total,
			Partial: r.Usage.Partial,
		},
	}
}

func fromResult(d *pb.Done) harness.Result {
	u := d.GetUsage()
	return harness.Result{
		Session: d.GetSession(), CostUSD: d.GetCostUsd(), Output: rawJSON(d.GetOutput()),
		Reason: harness.Reason(d.GetReason()), Message: fromBytes(d.GetMessage()),
		Usage: harness.Usage{
			Input: u.GetInput(), Output: u.GetOutput(), CacheRead: u.GetCacheRead(),
			CacheWrite: u.GetCacheWrite(), Reasoning: u.GetReasoning(), Total: u.GetTotal(),
			Partial: u.GetPartial(),
		},
	}
}
