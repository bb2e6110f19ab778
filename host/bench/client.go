//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// client is the raw limit of a run: an agent started by hand, its pipe read by
// us.
type client struct {
	cmd *exec.Cmd
	to  *json.Encoder
	out *bufio.Scanner
	end func()
}

func talkTo(ctx context.Context, dir string, argv ...string) (*client, error) {
	ctx, stop := context.WithCancel(ctx)
	c := &client{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), end: stop}
	c.cmd.Dir = dir
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.to, c.out = json.NewEncoder(in), bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	return c, c.cmd.Start()
}

// close ends the agent, which would wait for another prompt.
func (c *client) close() {
	c.end()
	_ = c.cmd.Wait() // it was killed
}

// call asks and reads up to the answer; each line before it goes to told.
func (c *client) call(id, method string, params any, told func(line []byte) (enough bool)) (json.RawMessage, error) {
	ask := message{JSONRPC: "2.0", ID: json.RawMessage(`"` + id + `"`), Method: method, Params: params}
	if err := c.to.Encode(ask); err != nil {
		return nil, err
	}
	for c.out.Scan() {
		var m struct {
			ID            string
			Method        string
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			return nil, err
		}
		if m.Method == "" && m.ID == id {
			if m.Error != nil {
				return nil, fmt.Errorf("%s: %s", method, m.Error)
			}
			return m.Result, nil
		}
		if m.Method == "session/update" && told(c.out.Bytes()) {
			return nil, nil
		}
	}
	return nil, errors.Join(c.out.Err(), fmt.Errorf("%s: the agent ended", method))
}

// prompt goes through the whole conversation, up to the end or until told has
// heard enough.
func (c *client) prompt(dir, text string, told func(line []byte) (enough bool)) error {
	ignore := func([]byte) bool { return false }
	if _, err := c.call("1", "initialize", map[string]any{"protocolVersion": 1}, ignore); err != nil {
		return err
	}
	answer, err := c.call("2", "session/new", map[string]any{"cwd": dir, "mcpServers": []string{}}, ignore)
	if err != nil {
		return err
	}
	var opened struct{ SessionID string }
	if err := json.Unmarshal(answer, &opened); err != nil {
		return err
	}
	said := []map[string]string{{"type": "text", "text": text}}
	_, err = c.call("3", "session/prompt", map[string]any{"sessionId": opened.SessionID, "prompt": said}, told)
	return err
}
