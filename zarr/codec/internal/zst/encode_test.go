package zst

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Every frame tells the size of what is in it: numcodecs before 0.16, which is zarr-python 2's, refuses one that does not.
func TestFramesTellTheirSize(t *testing.T) {
	for _, checksum := range []bool{false, true} {
		e := NewEncoder(Options{Level: 3, Window: 1 << 20, Checksum: checksum})
		for _, n := range []int{1, 2, 255, 256, 257, zstd.MinWindowSize, zstd.MinWindowSize + 1, 1 << 20, 1<<20 + 1} {
			src := bytes.Repeat([]byte{7}, n)
			frame, err := e.Encode(nil, src)
			if err != nil {
				t.Fatal(err)
			}
			var h zstd.Header
			if err := h.Decode(frame); err != nil || !h.HasFCS || h.FrameContentSize != uint64(n) || h.HasCheckSum != checksum {
				t.Errorf("%d bytes: %v, header %+v", n, err, h)
			}
			if got, err := Decode(nil, frame, n); err != nil || !bytes.Equal(got, src) {
				t.Errorf("%d bytes: %v, or other bytes", n, err)
			}
		}
	}
}

// TestLevels: every level makes text less than half as long, there are as many of them as scale says, and all are read.
func TestLevels(t *testing.T) {
	var src []byte
	for i := 0; len(src) < 1<<16; i++ {
		src = fmt.Appendf(src, "%d is %x; ", i, i*i)
	}
	seen := map[string]int{}
	for _, level := range []int{-131072, 1, 3, 5, 7} {
		frame, err := NewEncoder(Options{Level: level}).Encode([]byte("before"), src)
		if err != nil || !bytes.HasPrefix(frame, []byte("before")) {
			t.Fatalf("level %d: %v, or not appended", level, err)
		}
		frame = frame[len("before"):]
		if len(frame) > len(src)/2 {
			t.Errorf("level %d: %d of %d bytes", level, len(frame), len(src))
		}
		if other, ok := seen[string(frame)]; ok && min(level, other) > 0 {
			t.Errorf("levels %d and %d are the same", other, level)
		}
		seen[string(frame)] = level
		if got, err := Decode(nil, frame, len(src)); err != nil || !bytes.Equal(got, src) {
			t.Errorf("level %d: %d bytes, %v", level, len(got), err)
		}
	}
	for a, b := range map[int]int{0: 3, 2: 3, 4: 3, 6: 5, 22: 7, -1: -7} {
		one, err1 := NewEncoder(Options{Level: a}).Encode(nil, src)
		two, err2 := NewEncoder(Options{Level: b}).Encode(nil, src)
		if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Errorf("levels %d and %d differ: %d and %d bytes, %v, %v", a, b, len(one), len(two), err1, err2)
		}
	}
}

func TestWindow(t *testing.T) {
	for n, want := range map[int]int{-1: 8 << 20, 0: 8 << 20, 1: 1 << 10, 1024: 1 << 10, 1025: 2 << 10, 1 << 20: 1 << 20, 1<<20 + 1: 2 << 20, 1 << 30: 8 << 20} {
		if got := window(n); got != want {
			t.Errorf("window(%d) is %d, not %d", n, got, want)
		}
	}
}
