package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

const (
	completeLimit = time.Second // how long a person waits for candidates
	completeRuns  = 100         // how many of the newest runs are candidates
)

// inStore has list read the store, if there is one. It never makes one.
func (a *app) inStore(c *cobra.Command, list func(ctx context.Context, st *store.Store) []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	home, err := a.world.home()
	if err != nil {
		return nil, directive
	}
	ctx, stop := context.WithTimeout(c.Context(), completeLimit)
	defer stop()
	st, err := store.Peek(ctx, filepath.Join(home, "store.db"))
	if err != nil {
		return nil, directive
	}
	defer st.Close()
	return list(ctx, st), directive
}

// candidate is a word and what it is. What isn't one word is no candidate: a shell
// would take it for several.
func candidate(word, what string) []cobra.Completion {
	if word == "" || word != oneLine(word, 256) || strings.ContainsAny(word, " \t'\"\\$`") {
		return nil
	}
	return []cobra.Completion{cobra.CompletionWithDesc(word, oneLine(what, 80))}
}

// standing are the answers that count for more than their request.
func standing(a *app, c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.inStore(c, func(ctx context.Context, st *store.Store) (out []cobra.Completion) {
		list, _ := st.Standings(ctx)
		for _, s := range list {
			if id := standingID(s); strings.HasPrefix(id, begun) {
				out = append(out, candidate(id, string(s.Decision)+" for "+countsFor(s)+", "+s.Kind+": "+s.Target)...)
			}
		}
		return out
	})
}

// runsThat are runs, the newest first.
func runsThat(fits func(store.Run) bool) completer {
	return func(a *app, c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.inStore(c, func(ctx context.Context, st *store.Store) (out []cobra.Completion) {
			now := time.Now()
			_ = st.EachRun(ctx, store.RunFilter{Limit: completeRuns}, func(r store.Run) error {
				if fits(r) && strings.HasPrefix(r.ID, begun) {
					out = append(out, candidate(r.ID, string(r.Status)+", thread "+r.ThreadName+", "+ago(r.Created, now))...)
				}
				return nil
			})
			return out
		})
	}
}

// request is what the run before it waits for.
func request(a *app, c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.inStore(c, func(ctx context.Context, st *store.Store) (out []cobra.Completion) {
		list, err := st.PendingApprovals(ctx, args[0])
		if err != nil {
			return nil
		}
		for _, p := range list {
			out = append(out, candidate(p.ID, p.Kind+" "+p.Target)...)
		}
		return out
	})
}

// oneSandbox is the id of a sandbox, or the name of a block with one instance.
func oneSandbox(a *app, c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.sandboxWords(c, begun, "")
}

// sandboxOrFile is SANDBOX: for a path in one, or a file of this machine.
func sandboxOrFile(a *app, c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.ContainsAny(begun, "/:.") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	words, _ := a.sandboxWords(c, begun, ":")
	return words, cobra.ShellCompDirectiveNoSpace
}

func (a *app) sandboxWords(c *cobra.Command, begun, suffix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.inStore(c, func(ctx context.Context, st *store.Store) (out []cobra.Completion) {
		rows, err := st.Sandboxes(ctx)
		if err != nil {
			return nil
		}
		instances := map[string]int{}
		for _, r := range rows {
			if r.State != store.Gone {
				instances[r.Block]++
			}
		}
		now := time.Now()
		for _, r := range rows {
			if r.State == store.Gone {
				continue
			}
			what := r.Type + ", used " + ago(r.Used, now) + " ago"
			if instances[r.Block] == 1 && strings.HasPrefix(r.Block, begun) {
				out = append(out, candidate(r.Block+suffix, what)...)
			}
			if r.ID != r.Block && strings.HasPrefix(r.ID, begun) && r.ID != "" {
				out = append(out, candidate(r.ID+suffix, "block "+r.Block+", "+what)...)
			}
		}
		return out
	})
}

// snapshot is the id of a snapshot, as a list shows it.
func snapshot(a *app, c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.inStore(c, func(ctx context.Context, st *store.Store) (out []cobra.Completion) {
		list, err := st.Snapshots(ctx)
		if err != nil {
			return nil
		}
		now := time.Now()
		for _, r := range list {
			word := sandboxes.ShortID(r.ID)
			if !strings.HasPrefix(word, begun) {
				word = r.ID
			}
			if strings.HasPrefix(word, begun) {
				out = append(out, candidate(word, kindOf(r)+" of block "+r.Block+", "+ago(r.Created, now)+" ago, "+r.Label)...)
			}
		}
		return out
	})
}

// sandboxOrSnapshot is either.
func sandboxOrSnapshot(a *app, c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words, directive := oneSandbox(a, c, args, begun)
	more, _ := snapshot(a, c, args, begun)
	return append(words, more...), directive
}

// thread is the name of a thread: of the project, if there is one, else of any.
func thread(a *app, c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	project := a.outline().Folder
	return a.inStore(c, func(ctx context.Context, st *store.Store) (out []cobra.Completion) {
		list, err := st.Threads(ctx)
		if err != nil {
			return nil
		}
		now := time.Now()
		for _, t := range list {
			if strings.HasPrefix(t.Name, begun) && (project == "" || t.Project == project) {
				out = append(out, candidate(t.Name, t.Harness+", used "+ago(t.Used, now)+" ago")...)
			}
		}
		return out
	})
}

func (a *app) outline() config.Outline { return config.ReadOutline(a.flags.file, a.world.Dir) }

func block(a *app, _ *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.outline().Sandboxes, cobra.ShellCompDirectiveNoFileComp
}

func policyBlock(a *app, _ *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.outline().Policies, cobra.ShellCompDirectiveNoFileComp
}

// harnessBlock is the name of a harness block, with its type where another has it.
func harnessBlock(a *app, _ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all := a.outline().Harnesses
	var out []cobra.Completion
	for _, full := range all {
		_, name, _ := strings.Cut(full, ".")
		same := func(other string) bool { return strings.HasSuffix(other, "."+name) }
		if i := slices.IndexFunc(all, same); slices.IndexFunc(all[i+1:], same) < 0 && !strings.Contains(begun, ".") {
			out = append(out, name)
		} else {
			out = append(out, full)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func variable(a *app, _ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.Contains(begun, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, name := range a.outline().Variables {
		out = append(out, name+"=")
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// pluginType is the type of a plugin that may be run, of the kind that --kind says.
func pluginType(a *app, c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	installed, err := a.plugins()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind := ""
	if f := c.Flag("kind"); f != nil {
		kind = f.Value.String()
	}
	var out []cobra.Completion
	for _, p := range installed.Candidates() {
		if p.Refused == "" && !p.Hidden && (kind == "" || kind == string(p.Kind)) {
			out = append(out, candidate(p.Type, string(p.Kind))...)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
