package config_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

const keyed = `
secret "A" { env = "A" }
secret "B" { env = "B" }
provider "cloud" "c" {
  image   = "debian:12"
  url     = "https://one"
  token   = secret.A
  headers = { X = bearer(secret.A), Y = "plain" }
  retry { times = 1 }
  volume "tmp" { target = "/a" }
}
provider "cloud" "d" {
  image   = "debian:12"
  url     = "https://one"
  token   = secret.A
  headers = { X = bearer(secret.A), Y = "plain" }
  retry { times = 1 }
  volume "tmp" { target = "/a" }
}
harness "acp" "main" { command = ["agent"] }
workspace "w" {
  env     = { K = "v", L = "x${secret.A}" }
  secrets = [secret.A, secret.B]
}
policy "p" {}
sandbox "s" {
  provider  = provider.cloud.c
  harness   = harness.acp.main
  workspace = workspace.w
  policy    = policy.p
  lifecycle {}
  timeouts {}
}
`

// keyOf is the key of sandbox s of a configuration in a fixed folder.
func keyOf(t *testing.T, text, thread, run, tenant string) string {
	t.Helper()
	s := spec(t, load(t, text), "")
	s.Project = "/project"
	key, err := s.Key(thread, run, tenant)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(key) {
		t.Errorf("%q isn't 64 hex digits", key)
	}
	return key
}

func TestAKeyIsTheSameEverywhere(t *testing.T) {
	// The hash of a released key form may not change: people's sandboxes would be orphaned.
	const want = "daecfba7c91ea55eb179410a445bf4d69142f783bab964274dd87af59c7982da"
	if got := keyOf(t, keyed, "t", "", ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWhatAKeyDependsOn(t *testing.T) {
	tests := []struct {
		name, old, new string
		same           bool
	}{
		{"the image", `image   = "debian:12"`, `image = "debian:13"`, false},
		{"a default written out", `image   = "debian:12"`, "image = \"debian:12\"\ncpus = 2\nwait = \"1m\"\nload = 1.5", true},
		{"an image that is the default", `image   = "debian:12"`, ``, true},
		{"a number", `image   = "debian:12"`, `cpus = 3`, false},
		{"the order of attributes", "image   = \"debian:12\"\n  url     = \"https://one\"", "url = \"https://one\"\nimage = \"debian:12\"", true},
		{"an attribute that doesn't count", "https://one", "https://two", true},
		{"a block that doesn't count", "retry { times = 1 }", "retry { times = 2 }", true},
		{"a block that doesn't count, left out", "retry { times = 1 }", "", true},
		{"a block that counts", `target = "/a"`, `target = "/b"`, false},
		{"a block's label", `volume "tmp"`, `volume "dir"`, false},
		{"a block left out", `volume "tmp" { target = "/a" }`, "", false},
		{"another secret in the provider", "token   = secret.A", "token = secret.B", false},
		{"text around a secret in the provider", "token   = secret.A", `token = "x${secret.A}"`, true},
		{"plain text in a sensitive map", `Y = "plain"`, `Y = "other"`, true},
		{"where a secret comes from", `secret "A" { env = "A" }`, `secret "A" { env = "C" }`, true},
		{"a secret's value", `secret "A" { env = "A" }`, `secret "A" { value = "rotated-value" }`, true},
		{"the environment", `K = "v"`, `K = "w"`, false},
		{"a secret in the environment", `L = "x${secret.A}"`, `L = "x${secret.B}"`, false},
		{"a script", `env     = {`, "scripts = { test = \"make\" }\n  env     = {", false},
		{"a workspace secret", "[secret.A, secret.B]", "[secret.A]", false},
		{"the order of workspace secrets", "[secret.A, secret.B]", "[secret.B, secret.A]", true},
		{"another provider block that is the same", "provider.cloud.c", "provider.cloud.d", true},
		{"the sandbox block's name", `sandbox "s"`, `sandbox "r"`, false},
		{"a network that is denied", `policy "p" {}`, "policy \"p\" {\n network { default = \"deny\" }\n}", false},
		{"a network that is asked for", `policy "p" {}`, "policy \"p\" {\n network { default = \"ask\" }\n}", true},
		{"the harness", `["agent"]`, `["other"]`, true},
		{"the policy", `policy "p" {}`, `policy "p" { default = "deny" }`, true},
		{"that the policy is strict", `policy "p" {}`, `policy "p" { strict = true }`, true},
		{"timeouts", "timeouts {}", "timeouts { run = \"1h\" }", true},
		{"when it is destroyed", "lifecycle {}", "lifecycle { destroy_on_complete = true }", true},
	}
	base := keyOf(t, keyed, "t", "", "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(keyed, tt.old) {
				t.Fatalf("%q isn't in the configuration", tt.old)
			}
			text := strings.Replace(keyed, tt.old, tt.new, 1)
			if got := keyOf(t, text, "t", "", ""); (got == base) != tt.same {
				t.Errorf("same key: %v, want %v", got == base, tt.same)
			}
			if got := changes(t, keyed, text); (len(got) == 0) != tt.same {
				t.Errorf("same key: %v, and the changes told are %q", tt.same, got)
			}
		})
	}
}

func TestAKeyDoesNotDependOnTheNamesOfBlocks(t *testing.T) {
	renamed := strings.NewReplacer(`workspace "w"`, `workspace "v"`, "workspace.w", "workspace.v", `"cloud" "c"`, `"cloud" "e"`, "cloud.c", "cloud.e").Replace(keyed)
	if renamed == keyed || keyOf(t, keyed, "t", "", "") != keyOf(t, renamed, "t", "", "") {
		t.Error("a name changes the key")
	}
}

func TestAKeyDependsOnThreadTenantAndProject(t *testing.T) {
	none := strings.Replace(keyed, "lifecycle {}", `lifecycle { reuse = "none" }`, 1)
	keys := map[string]string{}
	for name, key := range map[string]string{
		"thread t":                keyOf(t, keyed, "t", "", ""),
		"thread u":                keyOf(t, keyed, "u", "", ""),
		"tenant":                  keyOf(t, keyed, "t", "", "x"),
		"no reuse, run r":         keyOf(t, none, "t", "r", ""),
		"no reuse, run q":         keyOf(t, none, "t", "q", ""),
		"thread and tenant moved": keyOf(t, keyed, "tx", "", ""),
	} {
		if other, dup := keys[key]; dup {
			t.Errorf("%s and %s have one key", name, other)
		}
		keys[key] = name
	}
	if keyOf(t, keyed, "t", "r", "") != keyOf(t, keyed, "t", "q", "") {
		t.Error("a run changes the key of a thread's sandbox")
	}
	s := spec(t, load(t, keyed), "")
	a, err := s.Key("t", "", "")
	if err != nil {
		t.Fatal(err)
	}
	s.Project = filepath.Join(s.Project, "other")
	if b, err := s.Key("t", "", ""); err != nil || a == b {
		t.Errorf("another project has the same key, %v", err)
	}
}

func TestTheSetupKeyIsSharedByThreads(t *testing.T) {
	a, b := spec(t, load(t, keyed), ""), spec(t, load(t, strings.Replace(keyed, "lifecycle {}", `lifecycle { reuse = "none" }`, 1)), "")
	b.Project = a.Project
	one, err := a.SetupKey("")
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.SetupKey("")
	if err != nil || one != two {
		t.Errorf("%s and %s, %v", one, two, err)
	}
	if key, err := a.Key("t", "", ""); err != nil || key == one {
		t.Errorf("the setup key is a thread's key, %v", err)
	}
	if other, err := a.SetupKey("x"); err != nil || other == one {
		t.Errorf("tenants share a setup key, %v", err)
	}
}

func TestAKeyNeedsAThreadAndMaybeARun(t *testing.T) {
	s := spec(t, load(t, keyed), "")
	if _, err := s.Key("", "r", ""); err == nil {
		t.Error("no thread is no error")
	}
	s.Lifecycle.Reuse = "none"
	if _, err := s.Key("t", "", ""); err == nil {
		t.Error("no run is no error")
	}
	if _, err := (&config.Spec{}).SetupKey(""); err == nil {
		t.Error("a spec without a provider has a key")
	}
}
