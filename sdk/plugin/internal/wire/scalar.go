package wire

import (
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// Text repairs what a string field can't carry.
func Text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func texts(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, Text(s))
	}
	return out
}

// Millis is a duration on the wire, rounded away from zero.
func Millis(d time.Duration) int64 {
	ms := int64(d / time.Millisecond)
	switch rest := d % time.Millisecond; {
	case rest > 0:
		ms++
	case rest < 0:
		ms--
	}
	return ms
}

// Duration is what Millis sent, held within what a duration can be.
func Duration(ms int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(ms, -most), most)) * time.Millisecond
}

// Int32 holds n within 32 bits.
func Int32(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// noTime stands for the zero time, which is before all that nanoseconds reach.
const noTime = math.MinInt64

func nanos(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, noTime+1)):
		return noTime
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == noTime {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// unixMillis is a time in milliseconds; 0 is the zero time.
func unixMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromUnixMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Mode is a file mode on the wire: POSIX bits, whatever Go counts them as.
func Mode(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for goBit, bit := range specialBits() {
		if m&goBit != 0 {
			bits |= bit
		}
	}
	return bits
}

// FromMode is what Mode sent; bits it doesn't know are dropped.
func FromMode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits) & fs.ModePerm
	for goBit, bit := range specialBits() {
		if bits&bit != 0 {
			m |= goBit
		}
	}
	return m
}

func specialBits() map[fs.FileMode]uint32 {
	return map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000}
}

func toEnv(env map[string]string) []*pb.EnvVar {
	var out []*pb.EnvVar
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, &pb.EnvVar{Name: []byte(name), Value: []byte(env[name])})
	}
	return out
}

func fromEnv(vars []*pb.EnvVar) map[string]string {
	if len(vars) == 0 {
		return nil
	}
	env := make(map[string]string, len(vars))
	for _, v := range vars {
		env[string(v.GetName())] = string(v.GetValue())
	}
	return env
}

// each converts the elements of a list; an empty list is nil.
func each[A, B any](list []A, convert func(A) B) []B {
	var out []B
	for _, e := range list {
		out = append(out, convert(e))
	}
	return out
}

func toBytes(s string) []byte   { return []byte(s) }
func fromBytes(b []byte) string { return string(b) }
