package runs

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// BenchmarkAgentEvents is what an event of the agent costs from its way out of
// the harness into the store: hash, scrubbing, row. One operation is one event.
func BenchmarkAgentEvents(b *testing.B) {
	for _, values := range [][]string{nil, {"sk-bench-0123456789abcdefghijklmnopqrstuvwxyz"}} {
		b.Run(fmt.Sprintf("%d secrets", len(values)), func(b *testing.B) {
			st, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "store.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			run, err := st.CreateRun(b.Context(), store.NewRun{ID: "r", Project: "p"})
			if err != nil {
				b.Fatal(err)
			}
			epoch, err := st.Claim(b.Context(), "r", store.Driver{BootID: "b", PID: 1, StartTime: "1"}, time.Hour, nil)
			if err != nil {
				b.Fatal(err)
			}
			l := secretly(b, newLog(st, nil, run, epoch), values...)
			var batch [][]byte
			for i := range gathered {
				payload, err := agui.Marshal(agui.TextMessageContent{MessageID: "0190c0de-0000-7000-8000-000000000001-12", Delta: fmt.Sprintf("some words of the agent's, number %d.\n", i)})
				if err != nil {
					b.Fatal(err)
				}
				batch = append(batch, payload)
			}
			n := 0
			for b.Loop() {
				if n++; n == gathered {
					n = 0
					if err := l.agent(b.Context(), batch, 1); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
