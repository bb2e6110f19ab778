package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const protocolVersion = 1

type object = map[string]any

// agentInfo is what matters of the answer to initialize.
type agentInfo struct {
	ProtocolVersion *int `json:"protocolVersion"`
	Capabilities    struct {
		Load bool `json:"loadSession"`
		MCP  struct {
			HTTP bool `json:"http"`
		} `json:"mcpCapabilities"`
		Session struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	AuthMethods []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"authMethods"`
}

func (t *turn) initialize() {
	t.conn.call("initialize", object{
		"protocolVersion": protocolVersion,
		"clientCapabilities": object{
			"fs":       object{"readTextFile": false, "writeTextFile": false},
			"terminal": false,
		},
		"clientInfo": object{"name": "sandlot", "title": "Sandlot", "version": version},
	}, t.initialized)
}

func (t *turn) initialized(a answer) {
	if a.failed != nil {
		t.refused("initialize", a.failed)
		return
	}
	if err := json.Unmarshal(a.result, &t.agent); err != nil {
		t.fail(harness.ReasonCrashed, "the agent's answer to initialize can't be read: "+err.Error())
		return
	}
	if v := t.agent.ProtocolVersion; v != nil && *v != protocolVersion {
		reason := harness.ReasonCrashed
		if *v < protocolVersion {
			reason = harness.ReasonCLITooOld
		}
		t.fail(reason, fmt.Sprintf("the agent speaks version %d of the Agent Client Protocol; this harness speaks version %d", *v, protocolVersion))
		return
	}
	t.authenticate()
}

func (t *turn) authenticate() {
	want := t.config.AuthMethod
	if want == "" {
		t.openSession()
		return
	}
	var offered []string
	for _, m := range t.agent.AuthMethods {
		if m.ID == want {
			t.conn.call("authenticate", object{"methodId": want}, t.authenticated)
			return
		}
		offered = append(offered, m.ID)
	}
	t.fail(harness.ReasonBadKey, fmt.Sprintf("the agent has no auth_method %q; it offers %s. "+
		"Many agents offer a method only if they have a key for it that works: check the key", want, list(offered)))
}

func (t *turn) authenticated(a answer) {
	if a.failed == nil {
		t.openSession()
		return
	}
	reason := classify(a.failed)
	if reason == harness.ReasonCrashed {
		reason = harness.ReasonBadKey // it refused to sign in, in words we don't know
	}
	t.fail(reason, fmt.Sprintf("the agent refused auth_method %q: %s", t.config.AuthMethod, a.failed))
}

// refused ends the turn because the agent answered a request with an error.
func (t *turn) refused(method string, e *rpcError) {
	t.fail(classify(e), fmt.Sprintf("the agent answered %s with an error: %s", method, e))
}

// list names what an agent offers, for a message.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
