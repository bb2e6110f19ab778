package wire

import (
	"github.com/sandlot-dev/sandlot/sdk/harness"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// FromHarness converts a message of the harness. One message may need two on
// the wire, or none if it isn't known.
func FromHarness(m harness.FromHarness) []*pb.RunResponse {
	r := &pb.RunResponse{}
	switch m := m.(type) {
	case *harness.Provision:
		r.Message = &pb.RunResponse_Provision{Provision: &pb.Provision{
			Files: each(m.Files, file), Warnings: each(m.Warnings, warning),
		}}
	case *harness.Launch:
		r.Message = &pb.RunResponse_Launch{Launch: launch(m)}
	case *harness.Events:
		r.Message = &pb.RunResponse_Events{Events: &pb.Events{Payloads: m.Payloads, JournalEnd: m.JournalEnd}}
	case *harness.Ask:
		r.Message = &pb.RunResponse_Ask{Ask: &pb.Ask{
			Id: Text(m.ID), Kind: Text(string(m.Kind)), Target: toBytes(m.Target), Title: toBytes(m.Title),
			Options: each(m.Options, option), Dir: toBytes(m.Dir),
		}}
	case *harness.Withdraw:
		r.Message = &pb.RunResponse_Withdraw{Withdraw: &pb.Withdraw{Ask: Text(m.Ask)}}
	case *harness.Done:
		r.Message = &pb.RunResponse_Done{Done: result(m.Result)}
	case *harness.Input:
		return input(m)
	default:
		return nil
	}
	return []*pb.RunResponse{r}
}

// FromFromHarness converts from the wire; nil for a message that this side
// doesn't know.
func FromFromHarness(r *pb.RunResponse) harness.FromHarness {
	switch m := r.GetMessage().(type) {
	case *pb.RunResponse_Provision:
		return &harness.Provision{
			Files: each(m.Provision.GetFiles(), fromFile), Warnings: each(m.Provision.GetWarnings(), fromWarning),
		}
	case *pb.RunResponse_Launch:
		return fromLaunch(m.Launch)
	case *pb.RunResponse_Events:
		return &harness.Events{Payloads: m.Events.GetPayloads(), JournalEnd: m.Events.GetJournalEnd()}
	case *pb.RunResponse_Stdin:
		return &harness.Input{Data: m.Stdin}
	case *pb.RunResponse_StdinEof:
		return &harness.Input{EOF: true}
	case *pb.RunResponse_Ask:
		return &harness.Ask{
			ID: m.Ask.GetId(), Kind: harness.AskKind(m.Ask.GetKind()),
			Target: fromBytes(m.Ask.GetTarget()), Title: fromBytes(m.Ask.GetTitle()),
			Options: each(m.Ask.GetOptions(), fromOption), Dir: fromBytes(m.Ask.GetDir()),
		}
	case *pb.RunResponse_Withdraw:
		return &harness.Withdraw{Ask: m.Withdraw.GetAsk()}
	case *pb.RunResponse_Done:
		return &harness.Done{Result: fromResult(m.Done)}
	}
	return nil
}

// input is the data, then the end: two messages where both are asked for.
func input(m *harness.Input) []*pb.RunResponse {
	var out []*pb.RunResponse
	if len(m.Data) > 0 || !m.EOF {
		out = append(out, &pb.RunResponse{Message: &pb.RunResponse_Stdin{Stdin: m.Data}})
	}
	if m.EOF {
		out = append(out, &pb.RunResponse{Message: &pb.RunResponse_StdinEof{StdinEof: &pb.InputEnd{}}})
	}
	return out
}

func file(f harness.File) *pb.ProvisionFile {
	return &pb.ProvisionFile{Path: toBytes(f.Path), Data: f.Data, Mode: Mode(f.Mode)}
}

func fromFile(f *pb.ProvisionFile) harness.File {
	return harness.File{Path: fromBytes(f.GetPath()), Data: f.GetData(), Mode: FromMode(f.GetMode())}
}

func warning(w harness.Warning) *pb.ProvisionWarning {
	return &pb.ProvisionWarning{Code: Text(w.Code), Text: Text(w.Text)}
}

func fromWarning(w *pb.ProvisionWarning) harness.Warning {
	return harness.Warning{Code: w.GetCode(), Text: w.GetText()}
}

func option(o harness.Option) *pb.AskOption {
	return &pb.AskOption{Id: Text(o.ID), Name: Text(o.Name), Allow: o.Allow, Once: o.Once}
}

func fromOption(o *pb.AskOption) harness.Option {
	return harness.Option{ID: o.GetId(), Name: o.GetName(), Allow: o.GetAllow(), Once: o.GetOnce()}
}
