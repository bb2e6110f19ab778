//go:build linux

package main

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machine is where it was measured.
type machine struct {
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
	Load   string `json:"load"` // when it began, over 1, 5 and 15 minutes
}

func theMachine() machine {
	load := strings.Fields(text("/proc/loadavg"))
	return machine{
		Cores: runtime.NumCPU(), CPU: field("/proc/cpuinfo", "model name"), Go: runtime.Version(),
		Kernel: strings.TrimSpace(text("/proc/sys/kernel/osrelease")),
		Load:   strings.Join(load[:min(3, len(load))], " "),
	}
}

func text(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "" // unknown
	}
	return string(data)
}

// field is the first value of that name in a file of "name: value".
func field(file, name string) string {
	for line := range strings.Lines(text(file)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// tracked is a row's own side; where the row asks for it, the peak of resident
// memory of this process, the host, and of the plugin is noted.
func tracked(f *figures, r row) side {
	if r.track == nil {
		return r.ours
	}
	return func(ctx context.Context) ([]float64, error) {
		host, plugin := "self", r.track.PID()
		for _, pid := range []string{host, plugin} {
			// 5 sets the peak back to what is used now.
			if err := os.WriteFile("/proc/"+pid+"/clear_refs", []byte("5"), 0); err != nil {
				return nil, err
			}
		}
		samples, err := r.ours(ctx)
		f.HostPeak, f.PluginPeak = max(f.HostPeak, peak(host)), max(f.PluginPeak, peak(plugin))
		return samples, err
	}
}

func peak(pid string) int64 {
	kib, err := strconv.ParseInt(strings.TrimSuffix(field("/proc/"+pid+"/status", "VmHWM"), " kB"), 10, 64)
	if err != nil {
		return 0 // unknown
	}
	return kib << 10
}
