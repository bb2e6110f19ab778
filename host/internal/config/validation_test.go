package config_test

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

const withValidation = `
variable "pin" {
  sensitive = true
  default   = "1234"
  validation {
    condition     = strlen(var.pin) > 3
    error_message = "A pin has four digits or more."
  }
  validation {
    condition     = parseint(base64encode(var.pin), 36) > 0
    error_message = "A pin is a number."
  }
}
variable "n" {
  type    = number
  default = 4
  validation {
    condition     = var.n > 3
    error_message = "${var.n} is too small."
  }
  validation {
    condition     = var.n > 2
    error_message = "${var.n} is much too small."
  }
}
`

func TestValidations(t *testing.T) {
	tests := []struct {
		name, text string
		inputs     []config.Input
		want       []string
		not        string
	}{
		{"all that fail are told", withValidation, []config.Input{{Var: "n=1"}}, []string{"1 is too small.", "1 is much too small.", "line 18"}, ""},
		{"a short sensitive value isn't shown", withValidation, []config.Input{{Var: "pin=q+7"}}, []string{"A pin has four digits or more."}, "q+7"},
		{"nor in another form, by what fails", withValidation, []config.Input{{Var: "pin=++++"}}, []string{"can't be evaluated for the value of var.pin"}, "KysrKw"},
		{
			"a message made of a sensitive value is refused, also if the value is right",
			"variable \"v\" {\n  sensitive = true\n  default = \"x\"\n  validation {\n    condition = true\n    error_message = \"not ${upper(var.v)}\"\n  }\n}", nil,
			[]string{"(sandlot.hcl:6:21)", "sensitive"},
			"",
		},
		{
			"a mistake in a message doesn't wait for a wrong value",
			"variable \"v\" {\n  default = \"x\"\n  validation {\n    condition = true\n    error_message = [1]\n  }\n}", nil,
			[]string{"(sandlot.hcl:5:21)", `"error_message" needs a string`},
			"",
		},
		{
			"another variable can't be used", "variable \"a\" { default = 1 }\nvariable \"v\" {\n  default = 1\n  validation {\n    condition = var.v > var.a\n    error_message = \"x\"\n  }\n}", nil,
			[]string{"(sandlot.hcl:5:25)", "can use var.v alone, not var.a"},
			"",
		},
		{
			"a default of the wrong type is told of although something else is set", "variable \"v\" {\n  type = number\n  default = \"x\"\n}",
			[]config.Input{{Var: "v=1"}},
			[]string{"(sandlot.hcl:3:13)", "must be of type number"},
			"",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := options(write(t, map[string]string{"sandlot.hcl": tt.text}), nil)
			opts.Inputs = tt.inputs
			p, diags := config.Load(t.Context(), opts)
			got := render(t, p, diags)
			for _, want := range tt.want {
				if !diags.HasErrors() || !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%q is shown in %s", tt.not, got)
			}
		})
	}
}

func TestAMistypedNameInAFileOfValuesDoesNotShowItsValue(t *testing.T) {
	tests := []struct{ name, file string }{
		{"a name that isn't declared", "tokn = \"" + canary + "\""},
		{"a file that doesn't parse", "tokn = \"" + canary + "\" x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"sandlot.hcl": "variable \"token\" {\n  sensitive = true\n  default = \"\"\n}", "x.auto.sandlot.hcl": tt.file})
			p, diags := config.Load(t.Context(), options(dir, nil))
			if got := render(t, p, diags); !diags.HasErrors() || strings.Contains(got, canary) || !strings.Contains(got, "tokn") {
				t.Errorf("got %s", got)
			}
		})
	}
}
