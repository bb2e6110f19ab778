package wire

import (
	"encoding/json"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ToHarness converts a message of the host; nil for one it doesn't know.
func ToHarness(m harness.ToHarness) *pb.RunRequest {
	switch m := m.(type) {
	case *harness.Start:
		return &pb.RunRequest{Message: &pb.RunRequest_Start{Start: start(m)}}
	case *harness.Lines:
		return &pb.RunRequest{Message: &pb.RunRequest_Lines{Lines: &pb.Lines{Data: m.Data, End: m.End}}}
	case *harness.Stderr:
		return &pb.RunRequest{Message: &pb.RunRequest_Stderr{Stderr: m.Data}}
	case *harness.Exit:
		return &pb.RunRequest{Message: &pb.RunRequest_Exit{Exit: &pb.AgentExit{
			Code: Int32(m.Code), Signal: Int32(m.Signal), Known: m.Known,
			Message: Text(m.Message), Stderr: m.Stderr,
		}}}
	case *harness.Decision:
		return &pb.RunRequest{Message: &pb.RunRequest_Decision{Decision: &pb.Decision{
			Ask: Text(m.Ask), Allow: m.Allow, Option: Text(m.Option), Reason: Text(m.Reason),
		}}}
	case *harness.Cancel:
		return &pb.RunRequest{Message: &pb.RunRequest_Cancel{Cancel: &pb.Cancel{}}}
	}
	return nil
}

// FromToHarness converts from the wire; nil for a message that this side
// doesn't know, since the other may be newer.
func FromToHarness(r *pb.RunRequest) harness.ToHarness {
	switch m := r.GetMessage().(type) {
	case *pb.RunRequest_Start:
		return fromStart(m.Start)
	case *pb.RunRequest_Lines:
		return &harness.Lines{Data: m.Lines.GetData(), End: m.Lines.GetEnd()}
	case *pb.RunRequest_Stderr:
		return &harness.Stderr{Data: m.Stderr}
	case *pb.RunRequest_Exit:
		return &harness.Exit{
			Code: int(m.Exit.GetCode()), Signal: int(m.Exit.GetSignal()), Known: m.Exit.GetKnown(),
			Message: m.Exit.GetMessage(), Stderr: m.Exit.GetStderr(),
		}
	case *pb.RunRequest_Decision:
		return &harness.Decision{
			Ask: m.Decision.GetAsk(), Allow: m.Decision.GetAllow(),
			Option: m.Decision.GetOption(), Reason: m.Decision.GetReason(),
		}
	case *pb.RunRequest_Cancel:
		return &harness.Cancel{}
	}
	return nil
}

func start(s *harness.Start) *pb.SessionStart {
	return &pb.SessionStart{
		Run:       Text(s.Run),
		Prompt:    toBytes(s.Prompt),
		History:   each(s.History, history),
		Session:   Text(s.Session),
		Model:     Text(s.Model),
		Schema:    s.Schema,
		AuthMode:  Text(s.AuthMode),
		Policy:    policy(s.Policy),
		Workspace: workspace(s.Workspace),
		Secrets:   texts(s.Secrets),

		McpServers: each(s.MCP, mcpServer),

		Capabilities: Capabilities(s.Capabilities),
		Isolation:    Text(string(s.Isolation)),
		Replay:       s.Replay,
	}
}

func fromStart(s *pb.SessionStart) *harness.Start {
	return &harness.Start{
		Run:       s.GetRun(),
		Prompt:    fromBytes(s.GetPrompt()),
		History:   each(s.GetHistory(), fromHistory),
		Session:   s.GetSession(),
		Model:     s.GetModel(),
		Schema:    rawJSON(s.GetSchema()),
		AuthMode:  s.GetAuthMode(),
		Policy:    fromPolicy(s.GetPolicy()),
		Workspace: fromWorkspace(s.GetWorkspace()),
		Secrets:   texts(s.GetSecrets()),

		MCP: each(s.GetMcpServers(), fromMCPServer),

		Capabilities: FromCapabilities(s.GetCapabilities()),
		Isolation:    sandbox.Isolation(s.GetIsolation()),
		Replay:       s.GetReplay(),
	}
}

func history(m harness.Message) *pb.HistoryMessage {
	return &pb.HistoryMessage{Role: Text(m.Role), Text: toBytes(m.Text)}
}

func fromHistory(m *pb.HistoryMessage) harness.Message {
	return harness.Message{Role: m.GetRole(), Text: fromBytes(m.GetText())}
}

func policy(p harness.Policy) *pb.SessionPolicy {
	return &pb.SessionPolicy{
		DefaultAction: Text(p.Default), FileWrite: Text(p.FileWrite),
		Allow: texts(p.Allow), Ask: texts(p.Ask), Deny: texts(p.Deny),
		Network: Text(p.Network), AllowHosts: texts(p.AllowHosts),
	}
}

func fromPolicy(p *pb.SessionPolicy) harness.Policy {
	return harness.Policy{
		Default: p.GetDefaultAction(), FileWrite: p.GetFileWrite(),
		Allow: texts(p.GetAllow()), Ask: texts(p.GetAsk()), Deny: texts(p.GetDeny()),
		Network: p.GetNetwork(), AllowHosts: texts(p.GetAllowHosts()),
	}
}

func workspace(w harness.Workspace) *pb.Workspace {
	return &pb.Workspace{Root: toBytes(w.Root), Home: toBytes(w.Home), StateDir: toBytes(w.StateDir)}
}

func fromWorkspace(w *pb.Workspace) harness.Workspace {
	return harness.Workspace{
		Root: fromBytes(w.GetRoot()), Home: fromBytes(w.GetHome()), StateDir: fromBytes(w.GetStateDir()),
	}
}

// rawJSON keeps "none" apart from an empty value.
func rawJSON(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return b
}
