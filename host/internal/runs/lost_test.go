package runs

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestADeathIsToldOnce(t *testing.T) {
	died := errors.New("the acp plugin was killed")
	met := fmt.Errorf("receive from harness: %w", died)
	piped := &pump{process: printed{}, stdin: nopCloser{}}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"by a call that met it", met, "receive from harness: the acp plugin was killed"},
		{"by the end of a harness whose agent hangs on a pipe", piped.harnessBroke(met), "the harness plugin ended in the middle of the run: receive from harness: the acp plugin was killed"},
		{"by nobody yet", errors.New("no answer"), "the acp plugin was killed; no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lostBy(c.err, nil, died); got.Error() != c.want || !errors.Is(got, errPluginLost) {
				t.Errorf("got %v", got)
			}
		})
	}
	if e, ok := errors.AsType[*endError](lostBy(piped.harnessBroke(met), died)); !ok || e.reason != harness.ReasonPluginCrashed {
		t.Errorf("how the run ends isn't told: %v", e)
	}
}

// nopCloser is a stdin that nobody reads.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
