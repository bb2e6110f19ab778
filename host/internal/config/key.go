package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// protocolMajor is the version of the contract between host and plugins; a
// sandbox made under another one isn't reused.
const protocolMajor = 1

// keyForm is what a key is the hash of. Its JSON form is canonical: fields in
// this order, map keys sorted.
type keyForm struct {
	Protocol  int       `json:"protocol"`
	Tenant    string    `json:"tenant"`
	Project   string    `json:"project"`
	Block     string    `json:"block"`
	Type      string    `json:"type"`
	Config    any       `json:"config"`
	Workspace Workspace `json:"workspace"`
	Thread    string    `json:"thread"`
	Run       string    `json:"run"`
	// Network is the policy's where it denies: a sandbox is made with it.
	Network Network `json:"network,omitzero"`
}

// Key is the identity of the sandbox that thread (with reuse "none": run) uses:
// 64 hex digits. The same configuration gives the same key on every machine;
// values of secrets and attributes tagged identity:"false" don't count, nor do
// harness, policy, lifecycle and timeouts, which a sandbox doesn't depend on, but
// for a network that the policy denies. Of a local source the path counts, not what lies there.
// Tenant is empty on the command line.
func (s *Spec) Key(thread, run, tenant string) (string, error) {
	form, err := s.keyForm(tenant)
	if err != nil {
		return "", err
	}
	switch {
	case thread == "":
		return "", errors.New("make sandbox key: the thread is empty")
	case s.Lifecycle.Reuse == "none" && run == "":
		return "", errors.New(`make sandbox key: reuse is "none" and the run is empty`)
	case s.Lifecycle.Reuse == "none":
		form.Run = run
	}
	form.Thread = thread
	return form.sum()
}

// SetupKey is the key without thread and run: what all sandboxes set up in the
// same way have in common.
func (s *Spec) SetupKey(tenant string) (string, error) {
	form, err := s.keyForm(tenant)
	if err != nil {
		return "", err
	}
	return form.sum()
}

func (s *Spec) keyForm(tenant string) (*keyForm, error) {
	form := &keyForm{
		Protocol: protocolMajor, Tenant: tenant, Project: s.Project, Block: s.Block,
		Type: s.Provider.Type, Workspace: s.Workspace,
	}
	if s.Policy.Network.Default == "deny" {
		form.Network = Network{Default: "deny", AllowHosts: slices.Sorted(slices.Values(s.Policy.Network.AllowHosts))}
	}
	form.Workspace.Name = "" // a name isn't content
	form.Workspace.MCP = nil // the agent is told of them at each run, and nothing of them is in the sandbox
	form.Workspace.Secrets = slices.Sorted(slices.Values(s.Workspace.Secrets))
	form.Workspace.Source.Token = namesOnly(s.Workspace.Source.Token)
	form.Workspace.Setup = slices.Clone(s.Workspace.Setup)
	for i := range form.Workspace.Setup {
		form.Workspace.Setup[i] = Setup{Run: form.Workspace.Setup[i].Run} // how long it may take leaves no trace
	}
	dec := json.NewDecoder(bytes.NewReader(s.Provider.Identity))
	dec.UseNumber()
	if err := dec.Decode(&form.Config); err != nil {
		return nil, fmt.Errorf("make sandbox key: read the provider's identity: %w", err)
	}
	return form, nil
}

// namesOnly is a value without its text: what is sensitive counts by the names of
// its secrets.
func namesOnly(v Value) Value {
	var out Value
	for _, name := range v.Secrets() {
		out.Parts = append(out.Parts, Part{Secret: name})
	}
	return out
}

func (f *keyForm) sum() (string, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("make sandbox key: %w", err)
	}
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:]), nil
}
