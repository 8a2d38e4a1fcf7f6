package lzma_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/internal/lzma"
)

// contents returns test inputs: noise, which is stored uncompressed, words, and both alternately,
// so that the type of chunks changes.
func contents() map[string][]byte {
	r := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 150_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var words []byte
	for len(words) < 150_000 {
		n := r.IntN(1000)
		words = append(words, noise[n:n+r.IntN(30)]...)
	}
	return map[string][]byte{
		"nothing": {}, "one": {7}, "noise": noise, "words": words, "zeros": make([]byte, 150_000),
		"by turns": slices.Concat(noise[:70_000], words[:80_000], noise[70_000:], words[80_000:]),
	}
}

func TestRoundTrip(t *testing.T) {
	for _, c := range []lzma.Config{
		{Format: lzma.XZ, Check: lzma.Unsaid}, {Format: lzma.XZ, Check: lzma.SHA256, Preset: 6}, {Format: lzma.Alone, Preset: 4},
		{Format: lzma.Raw, Filters: []lzma.Filter{{ID: lzma.LZMA2, Coder: lzma.Preset(1, false)}}},
		{Format: lzma.XZ, Check: lzma.CRC32, Filters: []lzma.Filter{{ID: lzma.Delta, Distance: 3}, {ID: lzma.X86}, {ID: lzma.LZMA2, Coder: lzma.Coder{DictSize: 5000, Nice: 30, Depth: 5}}}},
	} {
		enc, err := lzma.NewEncoder(c)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range contents() {
			stored, err := enc.Encode([]byte("x"), want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := lzma.Decode(c, []byte("y"), stored[1:], len(want))
			if err != nil || !bytes.Equal(got[1:], want) {
				t.Errorf("%+v, %s: %d of %d bytes, %v", c, name, len(got)-1, len(want), err)
			}
		}
	}
}

func xz(t *testing.T, check lzma.Check, s string) []byte {
	t.Helper()
	enc, err := lzma.NewEncoder(lzma.Config{Format: lzma.XZ, Check: check})
	if err != nil {
		t.Fatal(err)
	}
	b, err := enc.Encode(nil, []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// alone returns a .lzma stream with size in its header. A size of -1 means that the size is
// unknown.
func alone(t *testing.T, s string, size int64) []byte {
	t.Helper()
	enc, err := lzma.NewEncoder(lzma.Config{Format: lzma.Alone})
	if err != nil {
		t.Fatal(err)
	}
	b, err := enc.Encode(nil, []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(b[5:], uint64(size))
	return b
}

func TestStreams(t *testing.T) {
	flip := func(b []byte, at int) []byte { b = slices.Clone(b); b[(at+len(b))%len(b)] ^= 1; return b }
	ab := xz(t, lzma.CRC32, "ab")
	reserved := xz(t, lzma.None, "ab")
	reserved[7] = 7
	binary.LittleEndian.PutUint32(reserved[8:], crc32.ChecksumIEEE(reserved[6:8]))
	tests := []struct {
		name   string
		format lzma.Format
		stored []byte
		says   string // part of the expected error; "" if the stream decodes to "ab"
	}{
		{"xz", lzma.XZ, ab, ""},
		{"xz as either", lzma.Auto, ab, ""},
		{"alone as either", lzma.Auto, alone(t, "ab", -1), ""},
		{"alone that says its size and has a mark", lzma.Alone, alone(t, "ab", 2), ""},
		{"two streams of alone", lzma.Alone, slices.Concat(alone(t, "a", -1), alone(t, "b", -1)), ""},
		{"two streams", lzma.XZ, slices.Concat(xz(t, lzma.None, "a"), xz(t, lzma.SHA256, "b")), ""},
		{"padding", lzma.XZ, slices.Concat(xz(t, lzma.None, "a"), make([]byte, 8), xz(t, lzma.None, "b"), make([]byte, 4)), ""},
		{"half a padding", lzma.XZ, append(slices.Clone(ab), 0, 0), "invalid start"},
		{"bytes behind", lzma.XZ, append(slices.Clone(ab), "garbage"...), "invalid start"},
		{"alone as xz", lzma.XZ, alone(t, "ab", -1), "invalid start"},
		{"xz as alone", lzma.Alone, ab, "invalid start"},
		{"too much", lzma.XZ, xz(t, lzma.CRC32, "abc"), "more bytes than the chunk has"},
		{"alone that says too much", lzma.Alone, alone(t, "ab", 3), "more bytes than the chunk has"},
		{"alone that says too little", lzma.Alone, alone(t, "ab", 1), "follow the end"},
		{"alone that says a petabyte", lzma.Alone, alone(t, "ab", 1<<50), "invalid start"},
		{"a wrong checksum of the contents", lzma.XZ, flip(ab, 32), "stored checksum is"},
		{"a wrong checksum of the header", lzma.XZ, flip(ab, 8), "header"},
		{"a wrong checksum of the block's header", lzma.XZ, flip(ab, 20), "block header"},
		{"a wrong index", lzma.XZ, flip(ab, 38), "index"},
		{"a wrong footer", lzma.XZ, flip(ab, -12), "footer"},
		{"nothing", lzma.XZ, nil, "invalid start"},
		{"an unknown check", lzma.XZ, reserved, "check 7"},
	}
	for _, tt := range tests {
		got, err := lzma.Decode(lzma.Config{Format: tt.format}, nil, tt.stored, 2)
		switch {
		case tt.says == "" && (err != nil || string(got) != "ab"):
			t.Errorf("%s: %q, %v", tt.name, got, err)
		case tt.says != "" && (!errors.Is(err, fault.Corrupt) && !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s: %v, must say %q", tt.name, err, tt.says)
		}
	}
	for n := range ab {
		if _, err := lzma.Decode(lzma.Config{Format: lzma.XZ}, nil, ab[:n], 2); !errors.Is(err, fault.Corrupt) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

// TestMemory checks that a header with a dictionary of 4 GiB allocates no memory for it.
func TestMemory(t *testing.T) {
	b := alone(t, "ab", -1)
	binary.LittleEndian.PutUint32(b[1:], 1<<32-1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := lzma.Decode(lzma.Config{Format: lzma.Alone}, nil, b, 1<<30)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || string(got) != "ab" || used > 1<<20 {
		t.Errorf("%q, %v, %d bytes allocated", got, err, used)
	}
}

// TestManyStreams checks that memory is not allocated for each stream.
func TestManyStreams(t *testing.T) {
	b := slices.Repeat(alone(t, "a", -1), 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := lzma.Decode(lzma.Config{Format: lzma.Alone}, nil, b, 1000)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || len(got) != 1000 || used > 1<<20 {
		t.Errorf("%d bytes, %v, %d bytes allocated", len(got), err, used)
	}
}

// TestRefuses checks that NewEncoder rejects configurations that cannot be encoded.
func TestRefuses(t *testing.T) {
	if _, err := lzma.NewEncoder(lzma.Config{}); !errors.Is(err, fault.Metadata) {
		t.Errorf("format 0: %v", err)
	}
	if _, err := lzma.NewEncoder(lzma.Config{Format: lzma.XZ, Preset: 10}); !errors.Is(err, fault.Metadata) {
		t.Errorf("preset 10: %v", err)
	}
}
