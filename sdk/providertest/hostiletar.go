package providertest

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// hostileTar is a tar stream that is to do something outside of the folder it
// is pushed into, or more inside than anybody wants.
type hostileTar struct {
	name   string
	stream []byte
	mayBe  bool // it need not be refused, as long as it does no harm
}

func hostileTars() []hostileTar {
	up := member{name: "link", kind: tar.TypeSymlink, target: "../other"}
	return []hostileTar{
		{name: "a name that is ..", stream: pack(member{name: "..", content: "x"})},
		{name: "a .. behind a dot", stream: pack(member{name: "./../escaped", content: "x"})},
		{name: "a .. in a PAX name", stream: packPAX(member{name: strings.Repeat("long/", 60) + strings.Repeat("../", 61) + "escaped", content: "x"})},
		{name: "a NUL in a PAX name", stream: paxed(map[string]string{"path": "nul\x00../escaped"}, rawMember("escaped", tar.TypeReg, 1, []byte("x")))},
		{name: "a folder through a link", stream: pack(up, member{name: "link/escaped/", kind: tar.TypeDir, mode: 0o755})},
		{name: "a link through a link", stream: pack(up, member{name: "link/escaped", kind: tar.TypeSymlink, target: "x"})},
		{name: "a file through two links", stream: pack(member{name: "a", kind: tar.TypeSymlink, target: "link"}, up, member{name: "a/escaped", content: "x"})},
		{name: "a hard link through a link", stream: pack(member{name: "link", kind: tar.TypeSymlink, target: ".."}, member{name: "escaped", kind: tar.TypeLink, target: "link/target"})},
		{name: "a file below a folder that became a link", stream: pack(member{name: "link/", kind: tar.TypeDir, mode: 0o755}, up, member{name: "link/escaped", content: "x"})},
		{name: "a file over a hard link to a link", mayBe: true, stream: pack(
			member{name: "s", kind: tar.TypeSymlink, target: "../target"}, member{name: "h", kind: tar.TypeLink, target: "s"}, member{name: "h", content: "x"})},
		{name: "a file over a link of its name", mayBe: true, stream: pack(member{name: "s", kind: tar.TypeSymlink, target: "../target"}, member{name: "s", content: "x"})},
		{name: "a folder over a link of its name", mayBe: true, stream: pack(up, member{name: "link/", kind: tar.TypeDir, mode: 0o711}, member{name: "link/escaped", content: "x"})},
		{name: "a link in place of the folder itself", mayBe: true, stream: pack(member{name: "./", kind: tar.TypeSymlink, target: "other"}, member{name: "escaped", content: "x"})},
		{name: "a block device", stream: pack(member{name: "escaped", kind: tar.TypeBlock})},
		{name: "a pipe", stream: pack(member{name: "escaped", kind: tar.TypeFifo})},
		{name: "a size of 4 EiB", stream: append(rawMember("big", tar.TypeReg, 1<<62, []byte("x")), make([]byte, 1024)...)},
		{name: "a PAX size of a terabyte", stream: paxed(map[string]string{"size": "1099511627776"}, rawMember("big", tar.TypeReg, 1, []byte("x")))},
		{name: "a sparse file of 256 MiB", mayBe: true, stream: sparse(256 << 20)},
	}
}

func hostileTarCases() []testCase {
	var cases []testCase
	for _, h := range hostileTars() {
		what := " is Invalid and does no harm"
		if h.mayBe {
			what = " does no harm"
		}
		cases = append(cases, testCase{"a pushed stream with " + h.name + what, withFiles(func(f *filed) {
			f.sh("mkdir t other && printf target >target && chmod 700 other")
			var err error
			f.soon("push", func() { err = f.files.Push(f.ctx, "t", bytes.NewReader(h.stream)) })
			if !h.mayBe || err != nil {
				f.mustBe("push", err, sandbox.Invalid, sandbox.Denied, sandbox.Conflict)
			}
			if got := f.sh("ls -A . other; cat target"); got != ".:\nother\nt\ntarget\n\nother:\ntarget" {
				f.Errorf("beside the folder there is %q", got)
			}
			f.sameMode("other", 0o700)
			if kib, _ := strconv.Atoi(strings.Fields(f.sh("du -sk t"))[0]); kib > 16<<10 {
				f.Errorf("it takes %d KiB", kib)
			}
		})})
	}
	return cases
}

// packPAX packs in the format whose names have no limit.
func packPAX(m member) []byte {
	return paxed(map[string]string{"path": m.name}, rawMember("short", tar.TypeReg, uint64(len(m.content)), []byte(m.content)))
}

// paxed puts records before a member, also those that no packer would write.
func paxed(records map[string]string, member []byte) []byte {
	var content []byte
	for key, value := range records {
		rest := fmt.Sprintf(" %s=%s\n", key, value)
		n := len(rest) + 1
		for n != len(rest)+len(strconv.Itoa(n)) { // the length counts its own digits
			n = len(rest) + len(strconv.Itoa(n))
		}
		content = append(content, strconv.Itoa(n)+rest...)
	}
	out := append(rawMember("PaxHeaders/x", tar.TypeXHeader, uint64(len(content)), content), member...)
	return append(out, make([]byte, 1024)...)
}

// sparse is a file of size bytes of which only the last is in the stream.
func sparse(size int64) []byte {
	blocks := make([]byte, 512, 513)
	copy(blocks, fmt.Sprintf("1\n%d\n1\n", size-1))
	blocks = append(blocks, 'x')
	return paxed(map[string]string{
		"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "sparse", "GNU.sparse.realsize": strconv.FormatInt(size, 10),
	}, rawMember("GNUSparseFile.0/sparse", tar.TypeReg, 513, blocks))
}

// rawMember makes a header and the blocks of content, whatever size says.
func rawMember(name string, kind byte, size uint64, content []byte) []byte {
	h := make([]byte, 512)
	copy(h, name)
	copy(h[100:], "0000644\x000000000\x000000000\x00")
	binary.BigEndian.PutUint64(h[128:], size)
	h[124] = 0x80 // the size is binary
	copy(h[136:], "13727600000\x00")
	copy(h[148:], "        ")
	h[156] = kind
	copy(h[257:], "ustar\x0000")
	sum := 0
	for _, b := range h {
		sum += int(b)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	out := append(h, content...)
	return append(out, make([]byte, (512-len(out)%512)%512)...)
}
