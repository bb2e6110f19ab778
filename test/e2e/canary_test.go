//go:build linux

package e2e

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// spill prints TOKEN and KEY in each way in which tools print a text.
const spill = `
p() { printf %s "$TOKEN"; }
echo "plain: $TOKEN"
p | base64
printf 'x%s' "$TOKEN" | base64
printf 'xx%sy' "$TOKEN" | base64 -w 20
p | od -An -v -tx1
p | od -An -v -tx1 | tr -d ' \n'; echo
p | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'; echo
p | sed 's/["\\]/\\&/g; s/^/{"key":"/; s/$/"}/'; echo
p | sed 's/["\\]/\\\\\\&/g'; echo
echo "$KEY"
echo "$KEY" | cat -n
echo "$KEY" | base64
printf 'to stderr: %s\n' "$TOKEN" >&2
echo "$KEY" >&2
printf %.9s "$TOKEN" >&2; sleep 0.05; printf '%s\n' "$TOKEN" | cut -c10- >&2
echo "$TOKEN" >"name-$TOKEN"
echo "$KEY" >key.pem
cat "none-$TOKEN"
`

// letters prints TOKEN letter by letter, each as a delta of its own.
const letters = `printf '%s\n' "$TOKEN" | fold -w1 | sed 's/["\\]/\\&/; s/.*/{"text":"&"}/'`

// leaky is a stage whose agent has secrets from files, and scripts that spill them.
type leaky struct {
	*stage
	secrets []string

	mu   sync.Mutex
	seen map[string]bool // where a sample found one
}

func newLeaky(t *testing.T, hcl string) *leaky {
	t.Helper()
	return leaks(newStage(t, hcl), newSecrets())
}

// newSecrets are a token with signs that are written in many ways, and the lines
// of a key.
func newSecrets() []string {
	random := make([]byte, 60)
	_, _ = rand.Read(random) // never fails
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes.Repeat(random, 3)}))
	return []string{`tk"` + hex.EncodeToString(random[:12]) + `\<+&=%` + hex.EncodeToString(random[12:18]), withoutFrame(key)}
}

// leaks has a stage's agent given secrets, and watches it to the end of the test.
func leaks(s *stage, secrets []string) *leaky {
	l := &leaky{stage: s, secrets: secrets, seen: map[string]bool{}}
	for i, e := range l.env {
		if strings.HasPrefix(e, "PATH=") {
			l.env[i] = e + ":/usr/bin:/bin"
		}
	}
	if err := os.Mkdir(filepath.Join(l.project, "work"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	l.write("work/spill.sh", spill)
	l.write("work/letters.sh", letters)
	l.write("token", secrets[0]+"\n")
	l.write("key.pem", "-----BEGIN PRIVATE KEY-----\n"+secrets[1]+"\n-----END PRIVATE KEY-----\n")
	l.sample()
	return l
}

// withoutFrame is a key's own lines.
func withoutFrame(key string) string {
	lines := strings.Split(strings.TrimSpace(key), "\n")
	return strings.Join(lines[1:len(lines)-1], "\n")
}

const leakyBlocks = leakyWorkspace + `
  secrets = [secret.TOKEN, secret.KEY]
}`

// leakyWorkspace ends where its secrets are to be named.
const leakyWorkspace = `
provider "localprocess" "here" {}
policy "free" { default = "allow" }
secret "TOKEN" { file = "token" }
secret "KEY" { file = "key.pem" }
workspace "w" {
  source "local" { path = "work" }
  setup { run = ["printf %s \"$TOKEN\" >setup-had-it", "sh spill.sh 2>&1 || true", "printf %.9s \"$TOKEN\"; sleep 0.8; echo \"$TOKEN\" | cut -c10-", "rm -f name-* key.pem setup-had-it"] }
`

// sample looks at all processes of the stage to the end of the test: none has a
// secret in its arguments, and none but the agent's own in its environment.
func (l *leaky) sample() {
	var group sync.WaitGroup
	group.Go(func() {
		for l.t.Context().Err() == nil {
			for _, p := range l.processes() {
				env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
				own := err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00SANDLOT_PROC="))
				if own {
					env = nil
				}
				for what, text := range map[string][]byte{"arguments": []byte(strings.Join(p.args, " ")), "environment": env} {
					if len(l.traces(text)) > 0 {
						l.mu.Lock()
						l.seen[what+" of "+filepath.Base(p.args[0])] = true
						l.mu.Unlock()
					}
				}
			}
			until20ms()
		}
	})
	l.t.Cleanup(group.Wait)
}

func (l *leaky) traces(text []byte) []string {
	var all []string
	for _, value := range l.secrets {
		all = append(all, traces(text, value)...)
	}
	return all
}

// proven fails the test unless the agent has shown that it has the secret, by its
// hash.
func (l *leaky) proven() {
	l.t.Helper()
	sum := sha256.Sum256([]byte(l.secrets[0]))
	if got := l.file("proof"); !strings.HasPrefix(got, hex.EncodeToString(sum[:])) {
		l.t.Fatalf("the agent doesn't have the secret: %q", got)
	}
}

// clean fails the test if a secret is anywhere: in what processes showed, in any
// file of the host's, in what any verb tells of run r.
func (l *leaky) clean() {
	l.t.Helper()
	l.mu.Lock()
	for where := range l.seen {
		l.t.Errorf("a secret was in the %s", where)
	}
	l.mu.Unlock()
	l.archived("r")
	// go-plugin's own words are there at the most verbose level alone.
	if said, err := os.ReadFile(filepath.Join(l.home, "runs", "r", "driver.log")); err != nil || !bytes.Contains(said, []byte("module=go-plugin")) {
		l.t.Errorf("the driver's log doesn't tell everything: %v", err)
	}
	err := filepath.WalkDir(l.home, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && e.Name() == "root" { // the agent's own
			return fs.SkipDir
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := readPacked(path)
		if found := l.traces(data); len(found) > 0 || len(l.traces([]byte(e.Name()))) > 0 {
			l.t.Errorf("%s holds a secret as %q", path, found)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, verb := range []string{
		"attach r", "attach r --json", "logs r", "logs r --stderr", "diff r", "diff r --json", "runs", "runs --json",
		"runs --threads", "ps", "ps --json", "plan", "plan --json", "doctor",
	} {
		l.told(verb, l.run(strings.Fields(verb)...))
	}
	l.joined(l.run("attach", "r", "--json").events(l.t))
}

func (l *leaky) told(what string, r ran) {
	l.t.Helper()
	if found := l.traces([]byte(r.stdout + r.stderr)); len(found) > 0 {
		l.t.Errorf("%s tells a secret as %q", what, found)
	}
}

// joined puts the pieces of each message together.
func (l *leaky) joined(events []event) {
	l.t.Helper()
	whole := map[string]*strings.Builder{}
	for _, e := range events {
		id := e.Event.Type + e.Event.MessageID + e.Event.ToolCallID
		if whole[id] == nil {
			whole[id] = &strings.Builder{}
		}
		whole[id].WriteString(e.Event.Delta)
	}
	for id, text := range whole {
		if found := l.traces([]byte(text.String())); len(found) > 0 {
			l.t.Errorf("the pieces of %s together are a secret as %q", id, found)
		}
	}
}

// replaced fails the test unless secrets were there to be replaced at all.
func (l *leaky) replaced() {
	l.t.Helper()
	if out := l.run("attach", "r", "--json").stdout; strings.Count(out, "***") < 10 {
		l.t.Errorf("nothing was replaced: %s", clip(out))
	}
}

func TestACanaryIsNowhereAfterAJournaledRun(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, leakyBlocks+`
harness "minimal" "m" {}
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.minimal.m
  workspace = workspace.w
  policy    = policy.free
}`)
	r := l.run("run", "--run-id", "r", "--log-level", "trace", strings.Join([]string{
		`run printf %s "$TOKEN" | sha256sum >proof`,
		"run sh spill.sh", "run sh letters.sh",
		`run head -c 1200000 /dev/zero | tr '\0' x; echo "$TOKEN"`,
		"sleep 0.1",
		`run printf 'last words %s' "$TOKEN" >&2`, "exit 9",
	}, "\n")).want(t, 3)
	l.told("run", r)
	l.proven()
	l.clean()
	l.replaced()
	if !strings.Contains(r.stderr, "last words ***") {
		t.Errorf("the agent's last words aren't told: %s", clip(r.stderr))
	}
}

func TestACanaryIsNowhereAfterARunOfAnAgentThatIsFed(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, leakyBlocks+`
harness "acp" "a" { command = ["sandlot-demo-agent"] }
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.acp.a
  workspace = workspace.w
  policy    = policy.free
}`)
	r := l.run("run", "--run-id", "r", "--log-level", "trace", strings.Join([]string{
		`run printf %s "$TOKEN" | sha256sum >proof`, "run sh spill.sh", `run echo "$TOKEN" >named`, "read named", "read key.pem", "error 5 that is all",
	}, "\n")).want(t, 3)
	l.told("run", r)
	l.proven()
	l.clean()
	l.replaced()
}

// A plugin is given a secret, and dies with it on its lips.
func TestACanaryIsNowhereAfterAPluginCrashed(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, leakyBlocks+`
provider "faulty" "f" { token = secret.TOKEN }
harness "minimal" "m" {}
sandbox "s" {
  provider  = provider.faulty.f
  harness   = harness.minimal.m
}`)
	l.env = append(l.env, "SANDLOT_PLUGIN_DIR="+filepath.Join(built, "faulty"), "SANDLOT_FAULT=panic")
	r := l.run("run", "--run-id", "r", "--log-level", "trace", "hello").want(t, 1)
	l.told("run", r)
	reports, err := filepath.Glob(filepath.Join(l.home, "crashes", "*.txt"))
	if err != nil || len(reports) == 0 {
		t.Fatalf("there is no crash report: %v", err)
	}
	data, err := os.ReadFile(reports[0])
	if err != nil || !bytes.Contains(data, []byte("panic: the token ***")) {
		t.Errorf("the report doesn't tell of the panic: %v\n%s", err, data)
	}
	for _, path := range append(reports, filepath.Join(l.home, "runs", "r", "driver.log"), filepath.Join(l.home, "store.db"), filepath.Join(l.home, "store.db-wal")) {
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if found := l.traces(data); len(found) > 0 {
			t.Errorf("%s holds a secret as %q", path, found)
		}
	}
	for _, verb := range [][]string{{"attach", "r", "--json"}, {"runs"}, {"runs", "--json"}} {
		l.told(strings.Join(verb, " "), l.run(verb...))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for where := range l.seen {
		t.Errorf("a secret was in the %s", where)
	}
}

// What looks for traces finds them, in each way that spill prints.
func TestTracesAreFound(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, minimal)
	for _, script := range strings.Split(strings.TrimSpace(spill), "\n")[1:13] {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "p() { printf %s \"$TOKEN\"; }\n"+script)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "TOKEN=" + l.secrets[0], "KEY=" + l.secrets[1]}
		out, err := cmd.Output()
		if err != nil || len(l.traces(out)) == 0 {
			t.Errorf("%s: nothing is found in %q", script, out)
		}
		quoted, err := json.Marshal(string(out))
		if err != nil || len(l.traces(quoted)) == 0 {
			t.Errorf("%s: nothing is found in JSON %s", script, quoted)
		}
	}
}
