package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// offers is what a session lets us choose. Agents differ: newer ones have
// configuration options, older ones lists of modes and models, some both.
type offers struct {
	modes, models []string
	options       []option
}

// option is a configuration option; its choices may come in groups.
type option struct {
	ID       string   `json:"id"`
	Category string   `json:"category"`
	Choices  []choice `json:"options"`
}

type choice struct {
	Value  string   `json:"value"`
	Nested []choice `json:"options"`
}

func parseOffers(result json.RawMessage) offers {
	var got struct {
		Modes   json.RawMessage `json:"modes"`
		Models  json.RawMessage `json:"models"`
		Options json.RawMessage `json:"configOptions"`
	}
	var modes struct {
		List []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	}
	var models struct {
		List []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
	}
	var out offers
	// What can't be read isn't offered; the rest still is.
	_ = json.Unmarshal(result, &got)
	_ = json.Unmarshal(got.Modes, &modes)
	_ = json.Unmarshal(got.Models, &models)
	_ = json.Unmarshal(got.Options, &out.options)
	for _, m := range modes.List {
		out.modes = append(out.modes, m.ID)
	}
	for _, m := range models.List {
		out.models = append(out.models, m.ID)
	}
	return out
}

// option finds one by category, or by the id that says the same.
func (o offers) option(name string) (option, bool) {
	for _, match := range []func(option) bool{
		func(x option) bool { return x.Category == name },
		func(x option) bool { return x.ID == name },
	} {
		if i := slices.IndexFunc(o.options, match); i >= 0 {
			return o.options[i], true
		}
	}
	return option{}, false
}

func (o option) values() []string { return values(o.Choices) }

func values(choices []choice) []string {
	var out []string
	for _, c := range choices {
		if c.Value != "" {
			out = append(out, c.Value)
		}
		out = append(out, values(c.Nested)...)
	}
	return out
}

// setMode switches to the configured mode. One that isn't offered ends the
// turn: it decides what the agent asks for, so going on without it is no choice.
func (t *turn) setMode(o offers, then func()) {
	want := t.config.Mode
	if want == "" {
		then()
		return
	}
	opt, _ := o.option("mode")
	switch {
	case slices.Contains(o.modes, want):
		t.choose("mode", want, "session/set_mode", object{"modeId": want}, then)
	case slices.Contains(opt.values(), want):
		t.choose("mode", want, "session/set_config_option", object{"configId": opt.ID, "value": want}, then)
	default:
		offered := o.modes
		if len(offered) == 0 {
			offered = opt.values()
		}
		t.fail(harness.ReasonCrashed, fmt.Sprintf("the agent has no mode %q; it offers %s", want, list(offered)))
	}
}

// setModel asks for the model. A name that isn't listed is tried, since agents
// know aliases that they don't list.
func (t *turn) setModel(o offers, then func()) {
	want := t.s.Start().Model
	opt, found := o.option("model")
	viaOption := object{"configId": opt.ID, "value": want}
	viaModel := object{"modelId": want}
	switch {
	case want == "":
		then()
	case slices.Contains(opt.values(), want):
		t.choose("model", want, "session/set_config_option", viaOption, then)
	case slices.Contains(o.models, want):
		t.choose("model", want, "session/set_model", viaModel, then)
	case found:
		t.choose("model", want, "session/set_config_option", viaOption, then, opt.values()...)
	case len(o.models) > 0:
		t.choose("model", want, "session/set_model", viaModel, then, o.models...)
	default:
		t.warn("model_not_settable", fmt.Sprintf("the agent doesn't let a client choose the model; %q is ignored", want))
		then()
	}
}

func (t *turn) choose(what, want, method string, params object, then func(), offered ...string) {
	params["sessionId"] = t.session
	t.conn.call(method, params, func(a answer) {
		if a.failed == nil {
			then()
			return
		}
		reason := classify(a.failed)
		if reason == harness.ReasonCrashed && what == "model" {
			reason = harness.ReasonModelUnknown
		}
		text := fmt.Sprintf("the agent refused %s %q: %s", what, want, a.failed)
		if len(offered) > 0 {
			text += "; it offers " + list(offered)
		}
		t.fail(reason, text)
	})
}
