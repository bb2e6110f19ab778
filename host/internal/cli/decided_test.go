package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestADecisionSaysWhatItIsAbout matters with an agent that asks first and tells
// of the call afterwards: what a rule denies it never tells.
func TestADecisionSaysWhatItIsAbout(t *testing.T) {
	decided := `{"type":"CUSTOM","name":"approval.decided","value":{"decision":"deny","by":"policy","rule":"commands.deny \"rm *\"","kind":"command","target":"rm x"}}`
	for _, c := range []struct {
		name   string
		events []string
		want   string
	}{
		{"nothing was shown before", []string{decided}, "  denied by policy, rule commands.deny \"rm *\": rm x\n"},
		{"the call was shown before", []string{
			`{"type":"TOOL_CALL_START","toolCallId":"1","toolCallName":"execute"}`,
			`{"type":"TOOL_CALL_ARGS","toolCallId":"1","delta":"{\"command\":\"rm x\"}"}`,
			`{"type":"TOOL_CALL_END","toolCallId":"1"}`,
			decided,
		}, "▸ execute rm x\n  denied by policy, rule commands.deny \"rm *\"\n"},
		{"a decision of an older build", []string{
			`{"type":"CUSTOM","name":"approval.decided","value":{"decision":"allow","by":"ann","rule":"default"}}`,
		}, "  allowed by ann\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, shown(t, c.events...)); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		})
	}
}
