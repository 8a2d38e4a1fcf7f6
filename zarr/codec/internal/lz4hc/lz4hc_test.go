package lz4hc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// check encodes src and decodes the block with pierrec's decoder and with the function decode. It
// returns the block.
func check(t *testing.T, name string, e *Encoder, src []byte) []byte {
	t.Helper()
	dst := bytes.Repeat([]byte{0xa5}, len(src)+8)
	n := e.Encode(dst[:len(src)], src)
	if !bytes.Equal(dst[len(src):], bytes.Repeat([]byte{0xa5}, 8)) {
		t.Fatalf("%s: wrote beyond the end", name)
	}
	if n == 0 {
		return nil
	}
	if n >= len(src) {
		t.Fatalf("%s: %d bytes of %d", name, n, len(src))
	}
	got, err := decode(dst[:n])
	if err != nil || !bytes.Equal(got, src) {
		t.Fatalf("%s: read strictly: %v, or other bytes", name, err)
	}
	out := make([]byte, len(src))
	if k, err := lz4.UncompressBlock(dst[:n], out); err != nil || k != len(src) || !bytes.Equal(out, src) {
		t.Fatalf("%s: read by pierrec: %v, %d of %d bytes, or others", name, err, k, len(src))
	}
	return dst[:n]
}

// decode decodes a block as the format is documented, and rejects an end that the format forbids.
func decode(b []byte) ([]byte, error) {
	var out []byte
	length := func(n int) int {
		for more := n == nibble; more; {
			n += int(b[0])
			more = b[0] == 255
			b = b[1:]
		}
		return n
	}
	start := -1 // start of the last match
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		n := length(int(token >> 4))
		out, b = append(out, b[:n]...), b[n:]
		if len(b) == 0 {
			if start >= 0 && (n < 5 || len(out)-start < 12) {
				return out, fmt.Errorf("the last match starts %d bytes before the end and is followed by %d literals", len(out)-start, n)
			}
			return out, nil
		}
		start = len(out)
		back := int(b[0]) | int(b[1])<<8
		b = b[2:]
		n = length(int(token&15)) + 4
		if back == 0 || back > len(out) {
			return out, fmt.Errorf("invalid distance %d at %d", back, len(out))
		}
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	return out, errors.New("the last literals are missing")
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// structured returns n bytes of repeated earlier bytes, runs and noise.
func structured(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		k := 1 + r.IntN(1<<r.IntN(10))
		switch r.IntN(3) {
		case 0:
			b = append(b, noise(r, min(k, 40))...)
		case 1:
			b = append(b, bytes.Repeat([]byte{byte(r.IntN(3))}, k)...)
		default:
			from := r.IntN(len(b) + 1)
			b = append(b, b[from:min(from+k, len(b))]...)
		}
	}
	return b[:n]
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, level := range []int{1, 2, 3, 9} {
		e := New(level)
		for n := range 301 {
			check(t, fmt.Sprintf("level %d, %d structured bytes", level, n), e, structured(r, n))
			check(t, fmt.Sprintf("level %d, %d times a byte", level, n), e, make([]byte, n))
		}
	}
	for _, level := range []int{1, 2, 9} {
		e := New(level)
		for _, n := range []int{part - 1, part, part + 1, part + margin, 2*part + 5, 70_001} {
			check(t, fmt.Sprintf("level %d, %d structured bytes", level, n), e, structured(r, n))
		}
	}
}

// TestLengths encodes a run of one byte and a match after different numbers of literals. The
// lengths are those at which an additional length byte is needed.
func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := noise(r, 1200)
	for _, level := range []int{1, 9} {
		e := New(level)
		for _, n := range []int{4, 5, 14, 15, 16, 17, 18, 19, 20, 254, 255, 269, 270, 271, 272, 273, 274, 275, 524, 525, 527, 528, 529, 1038, 1039} {
			for _, lits := range []int{0, 1, 14, 15, 16, 269, 270, 271, 525} {
				name := fmt.Sprintf("level %d, %d bytes after %d", level, n, lits)
				src := append(bytes.Clone(text), noise(r, lits)...)
				src = append(append(src, text[:n]...), noise(r, 12)...)
				if block := check(t, name, e, src); block == nil && n >= 254 {
					t.Errorf("%s: not found", name)
				}
				check(t, name+", a run", e, append(bytes.Repeat([]byte{1}, n), src...))
			}
		}
	}
}

// TestEnds checks repeated bytes that start at each position near the end.
func TestEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	text := noise(r, 40)
	for _, level := range []int{1, 2, 3, 9} {
		e := New(level)
		for rest := range 24 {
			for n := range rest + 1 {
				src := slices.Concat(make([]byte, 100), text, text[:n], noise(r, rest-n))
				if check(t, fmt.Sprintf("level %d, %d bytes %d before the end", level, n, rest), e, src) == nil {
					t.Errorf("level %d: %d bytes not shorter", level, len(src))
				}
			}
		}
	}
}

// TestDistances checks that a match at offset 65535 is found, and that no match at a larger offset
// is used.
func TestDistances(t *testing.T) {
	text := noise(rand.New(rand.NewPCG(5, 6)), 1<<16)
	for _, level := range []int{1, 3, 9} {
		e := New(level)
		for _, back := range []int{65535, 65536} {
			src := append(bytes.Clone(text[:back]), text[:2048]...)
			block := check(t, "distance", e, src)
			if shorter := block != nil && len(block) < len(src)-1500; shorter != (back <= maxBack) {
				t.Errorf("level %d: %d bytes for %d with a match %d back", level, len(block), len(src), back)
			}
		}
	}
}

// TestRepeatedNoise checks that repeated noise is found at any distance.
func TestRepeatedNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, level := range []int{1, 2, 3, 9} {
		e := New(level)
		for _, n := range []int{1000, 1001, 4093, 20_007} {
			row := noise(r, n)
			src := slices.Concat(row, noise(r, 37), row, noise(r, 3), row)
			// The limit allows for a row, its length bytes and those of two matches, and the bytes
			// between.
			most := n + 3*n/255 + 80
			if got := len(check(t, "rows", e, src)); got == 0 || got > most {
				t.Errorf("level %d: %d bytes for three rows of %d", level, got, n)
			}
		}
	}
}

// TestLongRuns checks that a match of any length is one sequence across all parts.
func TestLongRuns(t *testing.T) {
	for _, level := range []int{1, 3, 9} {
		e := New(level)
		src := make([]byte, 1<<18)
		if n := len(check(t, "zeros", e, src)); n != 1<<18/255+12 && n != 1<<18/255+11 && n != 1<<18/255+10 {
			t.Errorf("level %d: %d bytes for a run of 256 KiB", level, n)
		}
		for i := range src {
			src[i] = byte(i % 251)
		}
		if n := len(check(t, "period", e, src)); n > 1<<18/255+280 {
			t.Errorf("level %d: %d bytes for a period of 251", level, n)
		}
	}
}

func TestGivesUp(t *testing.T) {
	src := noise(rand.New(rand.NewPCG(7, 8)), 20_000)
	for level := 1; level <= 9; level++ {
		if n := New(level).Encode(make([]byte, 2*len(src)), src); n != 0 {
			t.Errorf("level %d: %d bytes of noise in %d", level, len(src), n)
		}
		zeros := make([]byte, 1000)
		n := New(level).Encode(make([]byte, len(zeros)), zeros)
		if n == 0 {
			t.Fatal("zeros do not get shorter")
		}
		for room := range n {
			if k := New(level).Encode(make([]byte, room), zeros); k != 0 {
				t.Errorf("level %d: %d bytes in %d", level, k, room)
			}
		}
	}
}

// TestReuse checks that a used encoder has the same output as a new one, even if its position
// numbers overflow.
func TestReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	srcs := [][]byte{structured(r, 20_000), structured(r, 300), structured(r, 5000), make([]byte, 10_000)}
	for _, level := range []int{1, 9} {
		e := New(level)
		for i := range 8 {
			src := srcs[i%len(srcs)]
			if i >= 4 { // the number of the end of this input is about the maximum
				e.base = -e.used - uint32(len(src)+maxBack+1) + uint32(i) - 5
			}
			if got, want := check(t, "used", e, src), check(t, "new", New(level), src); !bytes.Equal(got, want) {
				t.Fatalf("level %d, input %d: %d bytes, %d when new", level, i, len(got), len(want))
			}
			if e.base+e.used <= e.base {
				t.Fatalf("level %d, input %d: %d numbers from %d on", level, i, e.used, e.base)
			}
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	src := structured(rand.New(rand.NewPCG(11, 12)), 10_000)
	dst := make([]byte, len(src))
	for _, level := range []int{1, 9} {
		e := New(level)
		if n := testing.AllocsPerRun(5, func() { e.Encode(dst, src) }); n > 0 {
			t.Errorf("level %d: %v allocations", level, n)
		}
	}
}

// TestLevels checks that the output of higher levels is not longer, and that level 9 is 5 % shorter
// than level 1.
func TestLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var src []byte
	for i := 0; len(src) < 1<<15; i++ {
		src = fmt.Appendf(src, "%d is %x; ", r.IntN(1000), i*i)
	}
	var sizes [10]int
	for level := 1; level <= 9; level++ {
		sizes[level] = len(check(t, "text", New(level), src))
		if level > 1 && sizes[level] > sizes[level-1] {
			t.Errorf("level %d: %d bytes, %d at the one before", level, sizes[level], sizes[level-1])
		}
	}
	if sizes[9]*20 > sizes[1]*19 {
		t.Errorf("%d bytes at 9, %d at 1", sizes[9], sizes[1])
	}
	if got := New(10); got.level != levels[9] {
		t.Error("a level beyond the last")
	}
}

func FuzzEncode(f *testing.F) {
	r := rand.New(rand.NewPCG(15, 16))
	for level := byte(1); level <= 9; level++ {
		f.Add(structured(r, 400*int(level)), uint16(level), level)
	}
	f.Add([]byte("abcdabcdabcdabcdabcdabcd"), uint16(70), byte(5))
	var encoders [10]*Encoder // each encodes many blocks, as in blosc
	f.Fuzz(func(t *testing.T, src []byte, again uint16, level byte) {
		level %= 10
		if encoders[level] == nil {
			encoders[level] = New(int(level))
		}
		if len(src) > 0 { // mutations rarely reach the boundaries of parts and windows
			src = bytes.Repeat(src, 1+int(again)%(1+200_000/len(src)))
		}
		used := check(t, "fuzzed", encoders[level], src)
		if !bytes.Equal(used, check(t, "fuzzed", New(int(level)), src)) {
			t.Fatal("a used encoder writes other bytes")
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	src := structured(rand.New(rand.NewPCG(17, 18)), 1<<20)
	dst := make([]byte, len(src))
	for _, level := range []int{1, 3, 5, 9} {
		b.Run(fmt.Sprintf("level=%d", level), func(b *testing.B) {
			e := New(level)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				e.Encode(dst, src)
			}
		})
	}
}
