package runs

import "testing"

func TestAHarnessIsNotSilentWhileWeReadOn(t *testing.T) {
	for _, tt := range []struct {
		name string
		pump *pump
		owed int64
		read int64
		want bool
	}{
		{"a line that never ends is being read", &pump{heard: 10}, 0, 20, true},
		{"nothing more was read", &pump{heard: 10}, 0, 10, false},
		{"the harness owes an answer to what it was given", &pump{heard: 10}, 1, 20, false},
		{"everything was read", &pump{heard: 10, drained: true}, 0, 20, false},
		{"the run is canceled: nobody needs the rest", &pump{heard: 10, stopped: true}, 0, 20, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.pump.read = func() int64 { return tt.read }
			tt.pump.owed.Store(tt.owed)
			if got := tt.pump.stillReading(); got != tt.want {
				t.Errorf("still reading: %v, want %v", got, tt.want)
			}
			if tt.pump.stillReading() {
				t.Error("asked again without anything read since, it is still reading")
			}
		})
	}
}
