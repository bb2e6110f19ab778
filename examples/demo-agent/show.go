package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
)

// contextSize is the made-up size of the model's context, in tokens.
const contextSize = 200_000

// plan shows the steps as pending, then takes each through its statuses.
func (t *turn) plan(steps []string) {
	var entries []planEntry
	for _, step := range steps {
		if step = strings.TrimSpace(step); step != "" {
			entries = append(entries, planEntry{step, "medium", "pending"})
		}
	}
	show := func() { t.update(planUpdate{"plan", entries}) }
	show()
	for i := range entries {
		entries[i].Status = "in_progress"
		show()
		entries[i].Status = "completed"
	}
	show()
}

// use adds tokens to what the turn costs and reports the context's size.
func (t *turn) use(in, out int) {
	if t.usage == nil {
		t.usage = &usage{}
	}
	t.usage.Input += in
	t.usage.Output += out
	t.usage.Total += in + out
	t.update(usageUpdate{"usage_update", t.usage.Total, contextSize})
}

func (t *turn) changeMode(id string) error {
	if !t.switchMode(id) {
		t.say("There is no mode " + id)
		return nil
	}
	t.update(map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": id})
	return nil
}

func (t *turn) name(title string) {
	t.update(map[string]any{"sessionUpdate": "session_info_update", "title": title})
}

// spam sends numbered pieces as fast as the client reads them.
func (t *turn) spam(ctx context.Context, n int) error {
	for i := 1; i <= n; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.update(chunk{chunkMessage, text{"text", fmt.Sprintf("%d\n", i)}})
	}
	return nil
}

// long sends one piece of exactly size bytes.
func (t *turn) long(size int) {
	const digits = "0123456789"
	t.update(chunk{chunkMessage, text{"text", strings.Repeat(digits, size/10) + digits[:size%10]}})
}

func (t *turn) unknownUpdate() {
	t.update(map[string]any{"sessionUpdate": "demo_weather_update", "weather": "unknown, and so is this update"})
}

func (t *turn) complain(line string) error {
	_, err := io.WriteString(t.agent.stderr, line+"\n")
	return err
}

func ignoreTerm(context.Context, *turn) error {
	signal.Ignore(syscall.SIGTERM)
	return nil
}
