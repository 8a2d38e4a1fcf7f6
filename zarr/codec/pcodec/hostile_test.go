package pcodec

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// file writes a header of a version, then the bits of parts, each a value and a number of bits.
func file(major, minor uint64, parts ...[2]uint64) []byte {
	w := writer{dst: []byte(magic)}
	w.bits(2, 8)
	w.bits(0, 8) // no hint
	w.bits(major, 8)
	if major >= 4 {
		w.bits(minor, 8)
	}
	for _, p := range parts {
		if p == pad {
			w.align()
			continue
		}
		w.bits(p[0], uint(p[1]))
	}
	w.align()
	return w.dst
}

// pad fills the byte with zeros.
var pad = [2]uint64{}

// chunkOf is the start of a chunk: its type, its number of numbers and its mode.
func chunkOf(code, n, mode uint64, parts ...[2]uint64) [][2]uint64 {
	return append([][2]uint64{{code, 8}, {n - 1, 24}, {mode, 4}}, parts...)
}

// TestHostile decodes files of two numbers with one fault each.
func TestHostile(t *testing.T) {
	tests := []struct {
		name   string
		typ    dtype.Type
		stored []byte
		want   error
		about  string
	}{
		{"no file", dtype.Int32, []byte("pco?"), fault.Corrupt, "not a pco file"},
		{"new standalone version", dtype.Int32, []byte("pco!\x04"), errors.ErrUnsupported, "version 4"},
		{"new version", dtype.Int32, file(5, 0), errors.ErrUnsupported, "version 5"},
		{"padding", dtype.Int32, []byte("pco!\x02\x80\x01"), fault.Corrupt, "padding"},
		{"other type", dtype.Int32, file(2, 0, chunkOf(5, 2, 0)...), fault.Corrupt, "float32"},
		{"unknown type", dtype.Int32, file(2, 0, chunkOf(99, 2, 0)...), fault.Corrupt, "type 99"},
		{"too many numbers", dtype.Int32, file(2, 0, chunkOf(3, 3, 0)...), fault.Corrupt, "12 bytes"},
		{"no numbers", dtype.Int32, file(2, 0, [2]uint64{0, 8}), fault.Corrupt, "0 bytes, want 8"},
		{"unknown mode", dtype.Int32, file(4, 1, chunkOf(3, 2, 5)...), fault.Corrupt, "mode 5"},
		{"new mode", dtype.Int32, file(4, 2, chunkOf(3, 2, 5)...), errors.ErrUnsupported, "mode 5"},
		{"GCD mode", dtype.Int32, file(0, 0, chunkOf(3, 2, 1)...), errors.ErrUnsupported, "mode 1"},
		{"base 0", dtype.Int32, file(4, 1, chunkOf(3, 2, 1, [2]uint64{0, 32}, [2]uint64{0, 64})...), fault.Corrupt, "mode 1"},
		{"int mult of floats", dtype.Float32, file(4, 1, chunkOf(5, 2, 1, [2]uint64{7, 32}, [2]uint64{0, 64})...), fault.Corrupt, "mode 1"},
		{"float mult of integers", dtype.Int32, file(4, 1, chunkOf(3, 2, 2, [2]uint64{7, 32}, [2]uint64{0, 64})...), fault.Corrupt, "mode 2"},
		{"float base 0", dtype.Float32, file(4, 1, chunkOf(5, 2, 2, [2]uint64{1 << 31, 32}, [2]uint64{0, 64})...), fault.Corrupt, "mode 2"},
		{"float base NaN", dtype.Float32, file(4, 1, chunkOf(5, 2, 2, [2]uint64{0xffffffff, 32}, [2]uint64{0, 64})...), fault.Corrupt, "mode 2"},
		{"quantize 0 bits", dtype.Float32, file(4, 1, chunkOf(5, 2, 3, [2]uint64{0, 8}, [2]uint64{0, 64})...), fault.Corrupt, "mode 3"},
		{"quantize 24 bits", dtype.Float32, file(4, 1, chunkOf(5, 2, 3, [2]uint64{24, 8}, [2]uint64{0, 64})...), fault.Corrupt, "mode 3"},
		{"long dictionary", dtype.Int32, file(4, 1, chunkOf(3, 2, 4, [2]uint64{1<<25 - 1, 25}, pad, [2]uint64{0, 64})...), fault.Corrupt, "33554431 entries, 8 bytes"},
		{"index", dtype.Int32, file(4, 1, chunkOf(3, 2, 4, [2]uint64{1, 25}, pad, [2]uint64{0, 32}, [2]uint64{0, 4},
			[2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{1, 32}, [2]uint64{0, 6}, pad)...), fault.Corrupt, "index 1 in a pco dictionary of 1"},
		{"unknown delta", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{4, 4})...), fault.Corrupt, "delta encoding 4"},
		{"order 0", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{1, 4}, [2]uint64{0, 4})...), fault.Corrupt, "order 0"},
		{"large window", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{2, 4}, [2]uint64{24, 5}, [2]uint64{0, 5})...), fault.Corrupt, "2^25"},
		{"large state", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{2, 4}, [2]uint64{1, 5}, [2]uint64{3, 4}, [2]uint64{0, 1})...), fault.Corrupt, "2^3"},
		{"lookback 0", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{2, 4}, [2]uint64{1, 5}, [2]uint64{0, 5},
			[2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{0, 32}, [2]uint64{0, 6})...), fault.Corrupt, "lookback from 0"},
		{"lookback 6 of 4", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{2, 4}, [2]uint64{1, 5}, [2]uint64{0, 5},
			[2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{3, 32}, [2]uint64{8, 6},
			[2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{3, 32}, [2]uint64{0, 6}, pad, [2]uint64{0, 32}, [2]uint64{3, 8})...), fault.Corrupt, "lookback of 6"},
		{"long state", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{2, 4}, [2]uint64{20, 5}, [2]uint64{15, 4}, [2]uint64{0, 1},
			[2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{3, 32}, [2]uint64{0, 6},
			[2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{3, 32}, [2]uint64{0, 6}, pad)...), fault.Corrupt, "32768 latents"},
		{"convolution of 64 bits", dtype.Int64, file(4, 1, chunkOf(4, 1, 0, [2]uint64{3, 4}, [2]uint64{0, 5}, [2]uint64{1 << 63, 64}, [2]uint64{0, 5}, [2]uint64{0, 32})...), fault.Corrupt, "64 bits"},
		{"convolution bias", dtype.Int32, file(4, 1, chunkOf(3, 2, 0, [2]uint64{3, 4}, [2]uint64{0, 5}, [2]uint64{0, 64}, [2]uint64{0, 5}, [2]uint64{0, 32})...), fault.Corrupt, "overflow"},
		{"convolution shift", dtype.Int8, file(4, 1, chunkOf(11, 8, 0, [2]uint64{3, 4}, [2]uint64{16, 5}, [2]uint64{1 << 63, 64}, [2]uint64{0, 5}, [2]uint64{0, 32})...), fault.Corrupt, "by 16"},
		{"large table", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{15, 4}, [2]uint64{2, 15})...), fault.Corrupt, "2^15"},
		{"more bins than states", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{1, 4}, [2]uint64{3, 15})...), fault.Corrupt, "3 pco bins"},
		{"one bin of two states", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{1, 4}, [2]uint64{1, 15})...), fault.Corrupt, "1 pco bins"},
		{"missing bins", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{14, 4}, [2]uint64{1 << 14, 15}, [2]uint64{0, 64})...), fault.Corrupt, "16384 bins"},
		{"no bins", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{0, 4}, [2]uint64{0, 15}, pad)...), fault.Corrupt, "without bins"},
		{"offset of 33 bits", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{0, 32}, [2]uint64{33, 6})...), fault.Corrupt, "33 bits"},
		{"weights", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{2, 4}, [2]uint64{2, 15},
			[2]uint64{0, 2}, [2]uint64{0, 32}, [2]uint64{0, 6}, [2]uint64{1, 2}, [2]uint64{0, 32}, [2]uint64{0, 6})...), fault.Corrupt, "3 of 4"},
		{"no termination", dtype.Int32, file(2, 0, chunkOf(3, 2, 0, [2]uint64{0, 3}, [2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{0, 32}, [2]uint64{0, 6})...), fault.Corrupt, "list of chunks"},
	}
	for _, tt := range tests {
		in := codec.Repr{Shape: []int{8 / tt.typ.Size()}, Type: tt.typ}
		c, err := New(nil, in)
		if err != nil {
			t.Fatal(err)
		}
		err = c.(codec.Either).Serial.Decode(codec.Block{Bytes: make([]byte, 8)}, tt.stored)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.about) {
			t.Errorf("%s: %v, want %v about %q", tt.name, err, tt.want, tt.about)
		}
	}
}

// TestTables decodes many chunks of one number whose tANS table has 2^14 states. Its time must be
// bounded by the size of the file.
func TestTables(t *testing.T) {
	parts := [][2]uint64{}
	const n = 20_000
	for range n {
		parts = append(parts, chunkOf(3, 1, 0, [2]uint64{0, 3}, [2]uint64{14, 4}, [2]uint64{2, 15},
			[2]uint64{1<<13 - 1, 14}, [2]uint64{0, 32}, [2]uint64{0, 6}, [2]uint64{1<<13 - 1, 14}, [2]uint64{0, 32}, [2]uint64{0, 6}, pad,
			[2]uint64{0, 56}, pad, [2]uint64{0, 1}, pad)...)
	}
	c, err := New(nil, codec.Repr{Shape: []int{n}, Type: dtype.Int32})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = c.(codec.Either).Serial.Decode(codec.Block{Bytes: make([]byte, 4*n)}, file(2, 0, parts...))
	if !errors.Is(err, fault.Limit) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// TestFloat16 compares all numbers of binary16 with their values, and rounds between them.
func TestFloat16(t *testing.T) {
	for i := range 1 << 16 {
		b := uint16(i)
		f := float16(b)
		if got := bits16(f); got != b && (f == f || got != b|0x200) {
			t.Fatalf("%04x is %v, which is %04x", b, f, got)
		}
		exp, man := int(b>>10&31), float64(b&0x3ff)
		if exp == 31 || b&0x8000 != 0 {
			continue
		}
		want := math.Ldexp(man, -24)
		if exp > 0 {
			want = math.Ldexp(1024+man, exp-25)
		}
		if float64(f) != want {
			t.Fatalf("%04x is %v, want %v", b, f, want)
		}
		next := float64(float16(b + 1))
		if exp == 30 && man == 1023 {
			next = 65536
		}
		middle := (want + next) / 2 // exact
		even := b + b&1
		for _, tt := range []struct {
			f    float32
			want uint16
		}{{float32(middle), even}, {math.Nextafter32(float32(middle), 0), b}, {math.Nextafter32(float32(middle), 1e9), b + 1}} {
			if got := bits16(tt.f); got != tt.want {
				t.Fatalf("%v is %04x, want %04x", tt.f, got, tt.want)
			}
		}
	}
}

// BenchmarkTinyChunks decodes a file of chunks of one number each.
func BenchmarkTinyChunks(b *testing.B) {
	var parts [][2]uint64
	const n = 10_000
	for i := range uint64(n) {
		parts = append(parts, chunkOf(3, 1, 0, [2]uint64{0, 3}, [2]uint64{0, 4}, [2]uint64{1, 15}, [2]uint64{i, 32}, [2]uint64{0, 6}, pad)...)
	}
	parts = append(parts, [2]uint64{0, 8})
	stored := file(2, 0, parts...)
	c, err := New(nil, codec.Repr{Shape: []int{n}, Type: dtype.Int32})
	if err != nil {
		b.Fatal(err)
	}
	dst := codec.Block{Bytes: make([]byte, 4*n)}
	b.SetBytes(int64(len(stored)))
	for b.Loop() {
		if err := c.(codec.Either).Serial.Decode(dst, stored); err != nil {
			b.Fatal(err)
		}
	}
}
