//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// mcpEnv makes the test binary an MCP server that is reached over stdin and stdout.
const mcpEnv = "SANDLOT_E2E_MCP"

// answerMCP answers one message to an MCP server with one tool, echo, that says who
// it was called as; nil: there is nothing to answer.
func answerMCP(message []byte, who string) []byte {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion string
			Arguments       json.RawMessage
		}
	}
	if json.Unmarshal(message, &m) != nil || len(m.ID) == 0 {
		return nil
	}
	type object = map[string]any
	answer := object{"jsonrpc": "2.0", "id": m.ID}
	switch m.Method {
	case "initialize":
		answer["result"] = object{
			"protocolVersion": m.Params.ProtocolVersion, "capabilities": object{"tools": object{}},
			"serverInfo": object{"name": "test", "version": "1"},
		}
	case "tools/list":
		answer["result"] = object{"tools": []object{{"name": "echo", "description": "says it again", "inputSchema": object{"type": "object"}}}}
	case "tools/call":
		answer["result"] = object{"content": []object{{"type": "text", "text": who + " " + string(m.Params.Arguments)}}}
	default:
		answer["error"] = object{"code": -32601, "message": "no such method"}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return data
}

func serveMCP(in io.Reader, out io.Writer) {
	who := fmt.Sprintf("stdio %q %s", os.Args[1:], os.Getenv("TOKEN"))
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if answer := answerMCP(lines.Bytes(), who); answer != nil {
			fmt.Fprintf(out, "%s\n", answer)
		}
	}
}

// webMCP is such a server by HTTP.
func webMCP(t *testing.T) *httptest.Server {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		answer := answerMCP(body, "http "+r.Header.Get("Authorization"))
		if answer == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web
}

// serving gives the stage's agent three servers, of which one can't be started, and
// a policy with that default. It returns the token that two of them are given.
func (c *claude) serving(policy string) string {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	token := "token-" + word()
	c.env = append(c.env, "MCP_TOKEN="+token)
	c.write("sandlot.hcl", fmt.Sprintf(`
provider "localprocess" "here" {}
secret "ANTHROPIC_API_KEY" { env = "ANTHROPIC_API_KEY" }
secret "MCP" { env = "MCP_TOKEN" }
workspace "scratch" {
  secrets = [secret.ANTHROPIC_API_KEY]
  mcp "web" {
    url     = "%s/mcp"
    headers = { Authorization = bearer(secret.MCP) }
  }
  mcp "local" {
    command = "%s"
    args    = ["as $${HOME} stands"]
    env     = { %s = "1", TOKEN = secret.MCP }
  }
  mcp "broken" { command = "no-such-program" }
}
harness "claude-code" "claude" {}
policy "p" { default = "%s" }
sandbox "claude" {
  provider  = provider.localprocess.here
  harness   = harness.claude-code.claude
  workspace = workspace.scratch
  policy    = policy.p
}
`, webMCP(c.t).URL, self, mcpEnv, policy))
	return token
}

func TestClaudeCallsToolsOfServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy  string
		allowed bool
		decided []string
	}{
		{"allow", true, nil},
		{"ask", true, []string{"tool mcp__web__echo allow --approve yes", "tool mcp__local__echo allow --approve yes"}},
		{"deny", false, []string{"tool mcp__web__echo deny policy", "tool mcp__local__echo deny policy"}},
	} {
		t.Run("a policy whose default is "+c.policy, func(t *testing.T) {
			t.Parallel()
			looked := make(chan struct{})
			stage := newClaude(t, modelserver.Script{
				modelserver.Use("mcp__web__echo", map[string]any{"text": "a"}), modelserver.Use("mcp__local__echo", map[string]any{"text": "b"}),
				{Parts: []modelserver.Part{modelserver.Text("nearly"), modelserver.Until(looked), modelserver.Text(" done")}},
			})
			token := stage.serving(c.policy)
			running := stage.start("run", "--json", "--approve", "yes", "Call them")
			running.await("nearly")
			if got := stage.toldServers(); strings.Contains(got, token) || strings.Count(got, "${SANDLOT_MCP_") != 3 {
				t.Errorf("the file with the servers holds a secret, or not a reference for each of two and for the argument:\n%s", got)
			}
			close(looked)
			events := running.ends().want(t, 0).events(t)
			want := []string{`http Bearer ` + token + ` {"text":"a"}`, `stdio ["as ${HOME} stands"] ` + token + ` {"text":"b"}`}
			if got := stage.results(); c.allowed {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
			} else if len(got) != 2 || !strings.Contains(got[0], "denied by policy rule default") || strings.Contains(strings.Join(got, ""), token) {
				t.Errorf("results: %q", got)
			}
			var decided []string
			for _, e := range find(events, "CUSTOM", "approval.decided") {
				var v struct{ Kind, Target, Decision, By string }
				e.value(&v)
				decided = append(decided, strings.Join([]string{v.Kind, v.Target, v.Decision, v.By}, " "))
			}
			if diff := cmp.Diff(c.decided, decided); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
			if w := warnings(events, "mcp_server_failed"); len(w) != 1 || !strings.Contains(w[0], `"broken"`) {
				t.Errorf("warnings: %q", w)
			}
			stage.nowhere(token)
		})
	}
}

// toldServers is the file that tells a running agent of servers.
func (c *claude) toldServers() string {
	c.t.Helper()
	list, err := filepath.Glob(filepath.Join(c.home, "sandboxes", "*", "state", "runs", "*", "mcp.json"))
	if err != nil || len(list) != 1 {
		c.t.Fatalf("the files with servers: %q, %v", list, err)
	}
	data, err := os.ReadFile(list[0])
	must(c.t, err)
	return string(data)
}

// nowhere fails the test if a text stands in a file of the host's state.
func (s *stage) nowhere(text string) {
	s.t.Helper()
	err := filepath.WalkDir(s.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			s.t.Errorf("%s holds %s", path, text)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}
