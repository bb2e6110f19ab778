package wire

import (
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// CreateRequest converts all but Progress.
func CreateRequest(r sandbox.CreateRequest) *pb.CreateSandbox {
	return &pb.CreateSandbox{
		Key:        Text(r.Key),
		Labels:     labels(r.Labels),
		Harness:    Text(r.Harness),
		Env:        toEnv(r.Env),
		Secrets:    each(r.Secrets, secret),
		Network:    network(r.Network),
		LifetimeMs: Millis(r.Lifetime),
	}
}

// FromCreateRequest converts all but Progress.
func FromCreateRequest(r *pb.CreateSandbox) sandbox.CreateRequest {
	return sandbox.CreateRequest{
		Key:      r.GetKey(),
		Labels:   fromLabels(r.GetLabels()),
		Harness:  r.GetHarness(),
		Env:      fromEnv(r.GetEnv()),
		Secrets:  each(r.GetSecrets(), fromSecret),
		Network:  fromNetwork(r.GetNetwork()),
		Lifetime: Duration(r.GetLifetimeMs()),
	}
}

// ResumeRequest converts all but Progress.
func ResumeRequest(r sandbox.ResumeRequest) *pb.ResumeRequest {
	return &pb.ResumeRequest{
		Id:         Text(r.ID),
		Env:        toEnv(r.Env),
		Secrets:    each(r.Secrets, secret),
		Network:    network(r.Network),
		LifetimeMs: Millis(r.Lifetime),
	}
}

// FromResumeRequest converts all but Progress.
func FromResumeRequest(r *pb.ResumeRequest) sandbox.ResumeRequest {
	return sandbox.ResumeRequest{
		ID:       r.GetId(),
		Env:      fromEnv(r.GetEnv()),
		Secrets:  each(r.GetSecrets(), fromSecret),
		Network:  fromNetwork(r.GetNetwork()),
		Lifetime: Duration(r.GetLifetimeMs()),
	}
}

// Progress converts to the wire.
func Progress(p sandbox.Progress) *pb.Progress {
	return &pb.Progress{Phase: Text(p.Phase), Detail: Text(p.Detail), Percent: Int32(p.Percent)}
}

// FromProgress converts from the wire.
func FromProgress(p *pb.Progress) sandbox.Progress {
	return sandbox.Progress{Phase: p.GetPhase(), Detail: p.GetDetail(), Percent: int(p.GetPercent())}
}

// Summary converts to the wire.
func Summary(s sandbox.Summary) *pb.SandboxSummary {
	return &pb.SandboxSummary{
		Id: Text(s.ID), Labels: labels(s.Labels), State: Text(string(s.State)), CreatedMs: unixMillis(s.Created),
	}
}

// FromSummary converts from the wire.
func FromSummary(s *pb.SandboxSummary) sandbox.Summary {
	return sandbox.Summary{
		ID: s.GetId(), Labels: fromLabels(s.GetLabels()), State: sandbox.State(s.GetState()), Created: fromUnixMillis(s.GetCreatedMs()),
	}
}

// Summaries converts a list.
func Summaries(list []sandbox.Summary) []*pb.SandboxSummary { return each(list, Summary) }

// FromSummaries converts a list.
func FromSummaries(list []*pb.SandboxSummary) []sandbox.Summary { return each(list, FromSummary) }

func labels(l sandbox.Labels) *pb.Labels {
	return &pb.Labels{
		Owner: Text(l.Owner), HostBoot: Text(l.HostBoot), Project: toBytes(l.Project),
		Thread: Text(l.Thread), Key: Text(l.Key),
	}
}

func fromLabels(l *pb.Labels) sandbox.Labels {
	return sandbox.Labels{
		Owner: l.GetOwner(), HostBoot: l.GetHostBoot(), Project: fromBytes(l.GetProject()),
		Thread: l.GetThread(), Key: l.GetKey(),
	}
}

func secret(s sandbox.Secret) *pb.Secret {
	return &pb.Secret{Name: Text(s.Name), Value: toBytes(s.Value)}
}

func fromSecret(s *pb.Secret) sandbox.Secret {
	return sandbox.Secret{Name: s.GetName(), Value: fromBytes(s.GetValue())}
}

func network(n sandbox.Network) *pb.Network {
	return &pb.Network{Deny: n.Deny, AllowHosts: texts(n.AllowHosts)}
}

func fromNetwork(n *pb.Network) sandbox.Network {
	return sandbox.Network{Deny: n.GetDeny(), AllowHosts: texts(n.GetAllowHosts())}
}
