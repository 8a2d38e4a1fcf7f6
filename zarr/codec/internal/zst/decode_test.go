package zst

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zargo-io/zargo/zarr/fault"
)

// unsized returns a frame that does not declare its size.
func unsized(t *testing.T, src []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for len(src) > 0 { // in parts, as a stream
		n := min(len(src), 1000)
		if _, err := w.Write(src[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		src = src[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var h zstd.Header
	if err := h.Decode(b.Bytes()); err != nil || h.HasFCS {
		t.Fatalf("the frame tells its size (%v)", err)
	}
	return b.Bytes()
}

// TestUnsized checks that frames without a content size are decoded up to the limit but not beyond
// it.
func TestUnsized(t *testing.T) {
	src := bytes.Repeat([]byte("zargo"), 200_000)
	frame := unsized(t, src)
	for _, limit := range []int{len(src), len(src) + 1, 10 * len(src)} {
		if got, err := Decode([]byte("before"), frame, limit); err != nil || string(got) != "before"+string(src) {
			t.Errorf("limit %d: %d bytes, %v", limit, len(got), err)
		}
	}
	for _, limit := range []int{0, 1, 100_000, len(src) - 1} {
		if _, err := Decode(nil, frame, limit); !errors.Is(err, fault.Corrupt) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// TestFrames checks that the contents of consecutive frames are concatenated and skippable frames
// are skipped.
func TestFrames(t *testing.T) {
	e := NewEncoder(Options{Effort: Default})
	a, err := e.Encode(nil, []byte("first "))
	if err != nil {
		t.Fatal(err)
	}
	skip := []byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}
	b, err := e.Encode(append(bytes.Clone(a), skip...), []byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dst := range [][]byte{nil, make([]byte, 0, 100)} {
		if got, err := Decode(dst, b, 12); err != nil || string(got) != "first second" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := Decode(nil, b, 11); !errors.Is(err, fault.Corrupt) {
		t.Errorf("one byte too many: %v", err)
	}
}

func TestCorrupt(t *testing.T) {
	good, err := NewEncoder(Options{Effort: EffortOf(3), Checksum: true}).Encode(nil, bytes.Repeat([]byte("zargo"), 1000))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-1] ^= 1
	tests := []struct {
		name  string
		in    []byte
		limit int
	}{
		{"nothing", nil, 5000},
		{"no frame", []byte("nonsense, really"), 5000},
		{"half a header", good[:3], 5000},
		{"cut", good[:len(good)-6], 5000},
		{"another checksum", flipped, 5000},
		{"more after it", append(bytes.Clone(good), 0), 5000},
		{"says more than is due", good, 4999},
	}
	for _, tt := range tests {
		for _, room := range []int{0, tt.limit} {
			if _, err := Decode(make([]byte, 0, room), tt.in, tt.limit); !errors.Is(err, fault.Corrupt) {
				t.Errorf("%s, room %d: %v", tt.name, room, err)
			}
		}
	}
}

// TestRoomByContents checks that the buffer of a frame is not larger than the maximum content of
// its blocks, even if the limit is much larger, as for text.
func TestRoomByContents(t *testing.T) {
	const limit = 1 << 28
	says := binary.LittleEndian.AppendUint64([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0}, limit)
	for name, frame := range map[string][]byte{
		"declares too much": append(says, 1, 0, 0),
		"declares nothing":  {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 7, 0, 0}, // a block of the reserved type
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(nil, frame, limit)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, fault.Corrupt) || n > 8<<20 {
			t.Errorf("%s: %d bytes were allocated: %v", name, n, err)
		}
	}
	const block = 128 << 10
	full := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50}
	for range 20 {
		full = append(full, 2, 0, 16, 'z') // an RLE block of 128 KiB
	}
	full = append(full, 3, 0, 16, 'z')
	if got, err := Decode(nil, full, limit); err != nil || len(got) != 21*block {
		t.Errorf("full blocks: %d bytes, %v", len(got), err)
	}
}
