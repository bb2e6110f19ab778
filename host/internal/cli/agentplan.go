package cli

// planEntry is one step of the agent's plan.
type planEntry struct{ Content, Status string }

// planned shows what has changed in the agent's plan, which comes whole each
// time.
func (r *text) planned(entries []planEntry) {
	now := make(map[string]string, len(entries))
	for _, e := range entries {
		now[e.Content] = e.Status
		if was, known := r.plan[e.Content]; known && was == e.Status {
			continue
		}
		mark := map[string]string{"completed": "✓", "in_progress": "▸"}[e.Status]
		r.note("  %s %s", r.paint.cyan(or(mark, "·")), oneLine(e.Content, 120))
	}
	r.plan = now
}
