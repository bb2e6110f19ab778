package config

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// sandboxBody is the body of a sandbox block. References are names here; the
// decoder gets them from traversals.
type sandboxBody struct {
	Provider  string         `hcl:"provider" doc:"The provider block that makes the sandbox." example:"provider.TYPE.NAME"`
	Harness   string         `hcl:"harness" doc:"The harness block that runs the agent." example:"harness.TYPE.NAME"`
	Workspace string         `hcl:"workspace,optional" doc:"The workspace block; an empty folder if not given."`
	Policy    string         `hcl:"policy,optional" doc:"The policy block; all defaults if not given."`
	Lifecycle *lifecycleBody `hcl:"lifecycle,block" doc:"How long the sandbox lives."`
	Timeouts  *timeoutsBody  `hcl:"timeouts,block" doc:"Bounds of the phases of a run."`
}

type lifecycleBody struct {
	Reuse             string        `hcl:"reuse" default:"thread" doc:"thread: one sandbox a thread; none: one a run."`
	Snapshot          string        `hcl:"snapshot" default:"after-setup" doc:"When to keep a snapshot, where the provider can: after-setup: new sandboxes with the same setup start from it; after-run: the thread goes on from it when its sandbox is gone; none."`
	SnapshotMaxAge    time.Duration `hcl:"snapshot_max_age" default:"24h" doc:"How old an after-setup snapshot may be for a new sandbox to start from it."`
	KeepAlive         time.Duration `hcl:"keep_alive" default:"30m" doc:"How long a sandbox may be without use before gc takes it; a hint to the provider too."`
	DestroyOnComplete bool          `hcl:"destroy_on_complete" default:"false" doc:"Remove the sandbox at the end of a run."`
	OnCancel          string        `hcl:"on_cancel" default:"keep" doc:"keep or destroy."`
	OnDisconnect      string        `hcl:"on_disconnect" default:"detach" doc:"detach: the run goes on; cancel: it ends."`
}

type timeoutsBody struct {
	Startup     time.Duration `hcl:"startup" default:"60s" doc:"Until the agent's first output."`
	Idle        time.Duration `hcl:"idle" default:"10m" doc:"Without output; stands still while a request waits."`
	Tool        time.Duration `hcl:"tool" default:"30m" doc:"Without output while a tool of the agent works; never less than idle."`
	AfterResult time.Duration `hcl:"after_result" default:"10s" doc:"Until the agent exits after its result."`
	Run         time.Duration `hcl:"run" default:"2h" doc:"The whole run."`
}

// sandbox is a decoded sandbox block; references are keys of Project's maps.
type sandbox struct {
	name, provider, harness, workspace, policy string
	lifecycle                                  Lifecycle
	timeouts                                   Timeouts
}

func (l *loader) decodeSandboxes() hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range l.blocks["sandbox"] {
		d := l.hostDecoder("sandbox")
		d.special = map[string]special{}
		for _, kind := range []string{"provider", "harness", "workspace", "policy"} {
			d.special[kind] = l.reference(kind)
		}
		body := sandboxBody{}
		out, more := d.into(b, &body)
		lifecycle := orDefaults(body.Lifecycle)
		timeouts := orDefaults(body.Timeouts)
		_, asked := out.ranges["lifecycle.snapshot"]
		more = append(more, checkLifecycle(*lifecycle, out.ranges)...)
		more = append(more, checkTimeouts(*timeouts, out.ranges)...)
		diags = append(diags, more...)
		l.project.sandboxes[b.Labels[0]] = &sandbox{
			name: b.Labels[0], provider: body.Provider, harness: body.Harness, workspace: body.Workspace, policy: body.Policy,
			lifecycle: Lifecycle{
				Reuse: lifecycle.Reuse, Snapshot: lifecycle.Snapshot, SnapshotAsked: asked, SnapshotMaxAge: lifecycle.SnapshotMaxAge,
				KeepAlive: lifecycle.KeepAlive, DestroyOnComplete: lifecycle.DestroyOnComplete,
				OnCancel: lifecycle.OnCancel, OnDisconnect: lifecycle.OnDisconnect,
			},
			timeouts: Timeouts(*timeouts),
		}
	}
	return diags
}

// orDefaults is body, or what an empty block would be if there is none.
func orDefaults[T any](body *T) *T {
	if body == nil {
		body = new(T)
		_ = schema.Decode([]byte("{}"), body) // can't fail: nothing is required; a test holds it
	}
	return body
}

func checkLifecycle(lc lifecycleBody, r ranges) hcl.Diagnostics {
	diags := oneOf(r, "lifecycle.reuse", lc.Reuse, "thread", "none")
	diags = append(diags, oneOf(r, "lifecycle.on_cancel", lc.OnCancel, "keep", "destroy")...)
	diags = append(diags, oneOf(r, "lifecycle.on_disconnect", lc.OnDisconnect, "detach", "cancel")...)
	diags = append(diags, positive(r, "lifecycle.keep_alive", lc.KeepAlive)...)
	diags = append(diags, positive(r, "lifecycle.snapshot_max_age", lc.SnapshotMaxAge)...)
	diags = append(diags, oneOf(r, "lifecycle.snapshot", lc.Snapshot, SnapshotAfterSetup, SnapshotAfterRun, SnapshotNone)...)
	if lc.Snapshot == SnapshotAfterRun && lc.Reuse == "none" {
		diags = append(diags, problem(r.at("lifecycle.snapshot").Ptr(), "Snapshot without use",
			"A snapshot after the run is for the thread's next run, and with reuse = \"none\" no run has a sandbox before it. Write reuse = \"thread\", or snapshot = \"after-setup\"."))
	}
	return diags
}

func checkTimeouts(t timeoutsBody, r ranges) hcl.Diagnostics {
	diags := positive(r, "timeouts.startup", t.Startup)
	diags = append(diags, positive(r, "timeouts.idle", t.Idle)...)
	diags = append(diags, positive(r, "timeouts.tool", t.Tool)...)
	diags = append(diags, positive(r, "timeouts.after_result", t.AfterResult)...)
	return append(diags, positive(r, "timeouts.run", t.Run)...)
}
