//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/plugin/guest"
)

// look prints what is around this program. It asks the kernel itself: a program
// of the container may have been replaced.
func look(out io.Writer) error {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("read mounts: %w", err)
	}
	mounts, err := readMounts(string(table))
	if err != nil {
		return err
	}
	links, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list network interfaces: %w", err)
	}
	seen := guest.Surroundings{Mounts: mounts}
	for _, l := range links {
		// Tunnels that the kernel gives to everybody are down, and nobody's.
		if l.Flags&net.FlagUp != 0 && l.Flags&net.FlagLoopback == 0 {
			seen.Links = append(seen.Links, l.Name)
		}
	}
	return json.NewEncoder(out).Encode(seen)
}

// readMounts reads lines such as
//
//	36 35 98:0 /dir /mnt/point ro,noatime master:1 - ext4 /dev/sda1 rw
//
// A mount can be read-only by itself or by its file system.
func readMounts(table string) ([]guest.Mount, error) {
	var all []guest.Mount
	for line := range strings.Lines(table) {
		front, back, ok := strings.Cut(line, " - ")
		of, system := strings.Fields(front), strings.Fields(back)
		if !ok || len(of) < 6 || len(system) < 2 {
			return nil, fmt.Errorf("read mounts: unknown line %q", line)
		}
		all = append(all, guest.Mount{
			Target: unescape(of[4]), ReadOnly: readOnly(of[5]) || readOnly(system[len(system)-1]),
		})
	}
	return all, nil
}

func readOnly(options string) bool { return slices.Contains(strings.Split(options, ","), "ro") }

// unescape undoes what the kernel does to blanks: \040 and the like.
func unescape(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+3 < len(path) {
			if code, err := strconv.ParseUint(path[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
