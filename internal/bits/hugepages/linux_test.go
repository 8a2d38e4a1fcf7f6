//go:build linux

package hugepages

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// mapping is the information in /proc/self/smaps about the memory at an address.
type mapping struct {
	flags []string
	huge  int // kB
}

func mappingOf(t *testing.T, b []byte) mapping {
	t.Helper()
	at := uint64(reflect.ValueOf(b).Pointer())
	all, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skipf("no /proc/self/smaps: %v", err)
	}
	var m mapping
	inside := false
	for line := range strings.Lines(string(all)) {
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
			continue
		}
		if !inside {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "VmFlags:"); ok {
			m.flags = strings.Fields(rest)
		}
		_, _ = fmt.Sscanf(line, "AnonHugePages: %d kB", &m.huge)
	}
	if m.flags == nil {
		t.Skip("this kernel lists no VmFlags")
	}
	return m
}

func fill(b []byte) {
	for i := range b {
		b[i] = byte(i >> 3)
	}
}

func filled(b []byte) bool {
	for i := range b {
		if b[i] != byte(i>>3) {
			return false
		}
	}
	return true
}

func TestAdviceIsGivenAndUndone(t *testing.T) {
	if system() != asked {
		t.Skip("huge pages are not by madvise here")
	}
	b := make([]byte, 64<<20)
	a := Advise(b)
	middle := b[len(b)/2:]
	if m := mappingOf(t, middle); !slices.Contains(m.flags, "hg") {
		t.Errorf("advised memory has the flags %q", m.flags)
	}
	fill(b)
	huge := mappingOf(t, middle).huge
	a.Undo()
	m := mappingOf(t, middle)
	if slices.Contains(m.flags, "hg") || !slices.Contains(m.flags, "nh") {
		t.Errorf("after Undo memory has the flags %q", m.flags)
	}
	if m.huge < huge {
		t.Errorf("%d kB are huge, %d before Undo", m.huge, huge)
	}
	if !filled(b) {
		t.Error("the contents changed")
	}
	a = Advise(b) // the next user of the memory may request huge pages again
	if m := mappingOf(t, middle); !slices.Contains(m.flags, "hg") {
		t.Errorf("advised again, memory has the flags %q", m.flags)
	}
	a.Undo()
	t.Logf("%d kB of huge pages", huge)
}

func TestBuffers(t *testing.T) {
	if system() != asked {
		t.Skip("huge pages are not by madvise here")
	}
	b := make([]byte, 64<<20)
	middle := b[len(b)/2:]
	Want(b)
	if m := mappingOf(t, middle); !slices.Contains(m.flags, "hg") {
		t.Errorf("a buffer that wants huge pages has the flags %q", m.flags)
	}
	fill(b)
	for range 2 { // the second run checks memory that is already full
		Enough(b)
		if m := mappingOf(t, middle); slices.Contains(m.flags, "hg") || !slices.Contains(m.flags, "nh") {
			t.Errorf("one that has enough has the flags %q", m.flags)
		}
	}
	if !filled(b) {
		t.Error("the contents changed")
	}
	small := make([]byte, Least-1)
	Want(small)
	if m := mappingOf(t, small); slices.Contains(m.flags, "hg") {
		t.Error("little memory wants huge pages")
	}
}

func TestSmallMemoryIsLeftAlone(t *testing.T) {
	if a := Advise(make([]byte, Least-1)); a.pages != nil {
		t.Error("advice for little memory")
	}
	Advise(nil).Undo()
}

func TestInteriorIsWholePages(t *testing.T) {
	b := make([]byte, 8*Size)
	for _, c := range []struct{ from, to int }{{0, len(b)}, {1, len(b)}, {4096, len(b) - 4096}, {Size, 3*Size + 1}, {5, Size + 4}, {Size + 1, Size + 2}} {
		part := b[c.from:c.to]
		in := interior(part)
		if len(in)%Size != 0 || len(in) > len(part) || len(part)-len(in) >= 2*Size {
			t.Errorf("%d bytes of %d", len(in), len(part))
		}
		if len(in) > 0 && reflect.ValueOf(in).Pointer()%Size != 0 {
			t.Error("it begins within a page")
		}
	}
}

func TestPolicy(t *testing.T) {
	for _, tt := range []struct {
		enabled string
		denied  bool
		want    policy
	}{
		{"always [madvise] never\n", false, asked},
		{"always [madvise] never\n", true, none},
		{"[always] madvise never\n", false, unknown},
		{"[always] madvise never\n", true, none},
		{"always madvise [never]\n", false, none},
		{"", false, unknown},
	} {
		if got := policyOf(tt.enabled, tt.denied); got != tt.want {
			t.Errorf("%q, denied %v: %v, want %v", tt.enabled, tt.denied, got, tt.want)
		}
	}
}

// TestTouch checks that all pages are populated before the program writes them, and that concurrent
// writes to them are preserved.
func TestTouch(t *testing.T) {
	if !populate(make([]byte, os.Getpagesize())) {
		t.Skip("this kernel has no MADV_POPULATE_WRITE")
	}
	b, err := syscall.Mmap(-1, 0, 16<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(b) }()
	pages := interior(b)
	if n := there(t, pages); n != 0 {
		t.Fatalf("%d pages are there that were not touched", n)
	}
	pages[step] = 1
	touch(pages).group.Wait()
	if n, all := there(t, pages), len(pages)/os.Getpagesize(); n != all || pages[step] != 1 {
		t.Errorf("%d of %d pages are there; what was written is %d", n, all, pages[step])
	}
	for range 5 { // while the memory is written
		c := make([]byte, 8<<20)
		a := touch(interior(c))
		fill(c)
		a.stop()
		if !filled(c) {
			t.Fatal("the contents changed")
		}
	}
}

// there returns the number of pages of b that exist.
func there(t *testing.T, b []byte) (n int) {
	t.Helper()
	state := make([]byte, len(b)/os.Getpagesize())
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, reflect.ValueOf(b).Pointer(), uintptr(len(b)), reflect.ValueOf(state).Pointer())
	if errno != 0 {
		t.Fatal(errno)
	}
	for _, s := range state {
		n += int(s & 1)
	}
	return n
}

func TestUnderAMemoryLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20))
	var last []byte
	for range 20 {
		b := make([]byte, 16<<20)
		if len(bytes.Trim(b, "\x00")) != 0 {
			t.Fatal("fresh memory is not empty")
		}
		a := Advise(b)
		fill(b)
		a.Undo()
		if last != nil && !filled(last) {
			t.Fatal("the contents changed")
		}
		last = b
	}
}

// BenchmarkTouch is run with: go test ./internal/bits/hugepages -run - -bench Touch -count 5
func BenchmarkTouch(b *testing.B) {
	for _, size := range []int{Least, 16 << 20, 128 << 20, 512 << 20} {
		for _, advised := range []bool{false, true} {
			b.Run(fmt.Sprintf("size=%dMiB/huge=%v", size>>20, advised), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					debug.FreeOSMemory()
					b.StartTimer()
					buf := make([]byte, size)
					var a Advice
					if advised {
						a = Advise(buf)
					}
					for i := 0; i < len(buf); i += 4096 {
						buf[i] = 1
					}
					a.Undo()
				}
			})
		}
	}
}
