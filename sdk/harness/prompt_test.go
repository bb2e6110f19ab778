package harness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestWithHistory(t *testing.T) {
	for _, c := range []struct {
		name    string
		history []harness.Message
		want    string
	}{
		{"without turns it is the prompt", nil, "go on\n"},
		{
			"turns come before the prompt, each under its role",
			[]harness.Message{{Role: "user", Text: "begin\n"}, {Role: "assistant", Text: "\nbegun"}},
			"The conversation so far:\n\n[user]\nbegin\n\n[assistant]\nbegun\n\n[user, now]\ngo on\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, harness.WithHistory("go on\n", c.history)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
