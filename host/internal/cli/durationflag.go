package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// durationFlag is a flag that takes days too: "36h", "30d".
type durationFlag struct {
	to  *time.Duration
	set bool
}

// Set implements pflag.Value.
func (f *durationFlag) Set(text string) error {
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(n * float64(24*time.Hour))
	} else {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d < 0 {
		return errors.New("use a time such as 90s, 30m, 36h or 30d")
	}
	*f.to, f.set = d, true
	return nil
}

// String implements pflag.Value.
func (f *durationFlag) String() string {
	if f.to == nil || *f.to == 0 {
		return ""
	}
	const day = 24 * time.Hour
	if *f.to%day == 0 {
		return fmt.Sprintf("%dd", *f.to/day)
	}
	return f.to.String()
}

// Type implements pflag.Value.
func (f *durationFlag) Type() string { return "duration" }
