package zstdenc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zargo-io/zargo/internal/race"
)

// reference is the decoder of another implementation.
var reference = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return d
}()

// check encodes src and returns the frame. It checks that reference decodes the frame to src, and
// that the length of the frame is bounded.
func check(t *testing.T, name string, e *Encoder, src []byte) []byte {
	t.Helper()
	frame := e.Encode([]byte("before"), src)
	if !bytes.HasPrefix(frame, []byte("before")) {
		t.Fatalf("%s: not appended", name)
	}
	frame = frame[len("before"):]
	if got, err := reference.DecodeAll(frame, nil); err != nil || !bytes.Equal(got, src) {
		t.Fatalf("%s: %v, %d of %d bytes, or others", name, err, len(got), len(src))
	}
	if most := len(src) + 18 + 3*(len(src)/min(maxBlock, e.o.Window)+1); len(frame) > most {
		t.Fatalf("%s: %d bytes of %d", name, len(frame), len(src))
	}
	return frame
}

// kinds are levels that together use every match finder for inputs of more than 256 KiB. Some of
// them use another match finder for shorter inputs.
var kinds = func() []int {
	if race.Enabled {
		return []int{1, 3, 9, 19} // see whole
	}
	return []int{-7, 1, 3, 5, 7, 9, 13, 19}
}()

// whole returns the size of a block. It is smaller under the race detector, which makes these tests
// twenty times slower and cannot find races in code of one goroutine.
func whole() int {
	if race.Enabled {
		return 6 << 10
	}
	return maxBlock
}

func encoder(level int) *Encoder {
	return New(Options{Level: level, Window: 8 << 20, Checksum: level&1 == 0})
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// structured returns n bytes of repeated earlier bytes, runs, noise and text of few letters.
func structured(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		k := 1 + r.IntN(1<<r.IntN(11))
		switch r.IntN(5) {
		case 0:
			b = append(b, noise(r, min(k, 40))...)
		case 1:
			b = append(b, bytes.Repeat([]byte{byte(r.IntN(3))}, k)...)
		case 2:
			for range k {
				b = append(b, "aaaabbcd"[r.IntN(8)])
			}
		default:
			from := r.IntN(len(b) + 1)
			b = append(b, b[from:min(from+k, len(b))]...)
		}
	}
	return b[:n]
}

// numbers returns n bytes of a noisy series of integers of size bytes each.
func numbers(r *rand.Rand, n, size int) []byte {
	b := make([]byte, 0, n+size)
	v := int64(1000)
	for len(b) < n {
		v += int64(r.IntN(21)) - 10
		for k := range size {
			b = append(b, byte(v>>(8*k)))
		}
	}
	return b[:n]
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for level := -4; level <= maxLevel; level++ {
		if race.Enabled && level%4 != 0 {
			continue
		}
		e := encoder(level)
		for n := 0; n < 300; n += 1 + n/10 {
			check(t, fmt.Sprintf("level %d, %d structured bytes", level, n), e, structured(r, n))
			check(t, fmt.Sprintf("level %d, %d times a byte", level, n), e, make([]byte, n))
			check(t, fmt.Sprintf("level %d, %d bytes of noise", level, n), e, noise(r, n))
		}
		for _, n := range []int{1000, 5000, 17000} {
			if n > whole() {
				continue
			}
			check(t, fmt.Sprintf("level %d, %d structured bytes", level, n), e, structured(r, n))
			check(t, fmt.Sprintf("level %d, %d bytes of int32", level, n), e, numbers(r, n, 4))
		}
	}
}

// TestBlocks encodes inputs at the limits of the block size and at the input lengths where a level
// changes its parameters.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	long := append(structured(r, whole()), noise(r, 2*maxBlock-whole()+1)...)
	short := numbers(r, whole()+20_000, 2)
	for _, level := range kinds {
		e := encoder(level)
		for _, n := range []int{16 << 10, 16<<10 + 1, maxBlock - 1, maxBlock, maxBlock + 1, 2*maxBlock + 1} {
			if n <= 3*whole() || n == maxBlock+1 {
				check(t, fmt.Sprintf("level %d, %d bytes", level, n), e, long[:n])
			}
		}
		check(t, fmt.Sprintf("level %d, int16", level), e, short)
	}
}

// TestFormsOfBlocks checks that blocks of one repeated byte take 4 bytes and that noise is stored
// raw.
func TestFormsOfBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := noise(r, whole())
	for _, level := range kinds {
		e := encoder(level)
		if frame := check(t, "one byte", e, make([]byte, 2*maxBlock)); len(frame) > 9+2*4+4 {
			t.Errorf("level %d: a byte again and again is %d bytes", level, len(frame))
		}
		if frame := check(t, "noise", e, random); len(frame) > 4+1+4+3+len(random)+len(e.sum(nil, nil)) {
			t.Errorf("level %d: %d bytes of noise are %d", level, len(random), len(frame))
		}
		// A raw block between compressed ones leaves the decoder's repeat offsets and tables
		// unchanged.
		mixed := append(structured(r, whole()), random...)
		mixed = append(mixed, mixed[:whole()]...)
		check(t, fmt.Sprintf("level %d, mixed", level), e, append(mixed, structured(r, 1000)...))
	}
}

// TestFar checks that matches from more than two blocks back are found, and that no match exceeds
// the window.
func TestFar(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	text := noise(r, 2*whole()+40_000)
	src := append(bytes.Clone(text), text...)
	for _, level := range kinds {
		if n := len(check(t, fmt.Sprintf("level %d", level), encoder(level), src)); n > len(text)+len(text)/20 {
			t.Errorf("level %d: %d bytes for %d twice", level, n, len(text))
		}
		near := New(Options{Level: level, Window: len(text)})
		if n := len(check(t, fmt.Sprintf("level %d, a smaller window", level), near, src)); n < len(src) {
			t.Errorf("level %d: %d bytes, so something is farther away than the window", level, n)
		}
	}
}

// TestRecent uses each repeat offset, with and without literals before the match.
func TestRecent(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	src := noise(r, 4000)
	last := [3]int{100, 200, 300}
	for len(src) < 4000+whole()/4 {
		src = append(src, noise(r, r.IntN(3))...)
		k := r.IntN(5)
		back := 1 + r.IntN(3000)
		switch {
		case k < 3:
			back = last[k]
		case k == 3:
			back = max(last[0]-1, 1)
		}
		last = [3]int{back, last[0], last[1]}
		for range 4 + r.IntN(20) {
			src = append(src, src[len(src)-back])
		}
	}
	for _, level := range kinds {
		check(t, fmt.Sprintf("level %d", level), encoder(level), src)
	}
}

// TestSequences encodes blocks with very many sequences, with few literals, and with lengths that
// have many extra bits.
func TestSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	words := make([][]byte, 300)
	for i := range words {
		words[i] = noise(r, 3+i%3)
	}
	var many []byte
	for len(many) < whole()+1000 {
		many = append(many, words[r.IntN(len(words))]...)
	}
	text := noise(r, 70_000)
	var long []byte
	for _, n := range []int{60_000, 0, 3, 66_000, 10, 5_000, 69_999} {
		long = append(append(long, text[:n]...), noise(r, n/7)...)
	}
	for _, level := range kinds {
		e := encoder(level)
		check(t, fmt.Sprintf("level %d, many sequences", level), e, many)
		check(t, fmt.Sprintf("level %d, long ones", level), e, long)
	}
}

// TestCodes encodes literals whose optimal code is longer than 11 bits, and alphabets of many
// sizes.
func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	e := encoder(1)
	for n := 2; n <= 256; n += 1 + n/16 {
		src := make([]byte, 20_000)
		for i := range src {
			src[i] = byte(min(r.ExpFloat64()*float64(n)/12, float64(n-1)))
		}
		check(t, fmt.Sprintf("%d letters", n), e, src)
	}
	var skewed []byte
	for s, n := 0, 1; len(skewed) < 30_000; s, n = s+1, 2*n {
		skewed = append(skewed, bytes.Repeat([]byte{byte(250 - s)}, n)...)
	}
	r.Shuffle(len(skewed), func(i, k int) { skewed[i], skewed[k] = skewed[k], skewed[i] })
	// The symbols take two bits each.
	if frame := check(t, "skewed", encoder(19), skewed); len(frame) > len(skewed)*27/100 {
		t.Errorf("%d of %d bytes", len(frame), len(skewed))
	}
}

// TestSameAfterOthers checks that the output does not depend on earlier inputs or on position
// numbers.
func TestSameAfterOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	srcs := [][]byte{structured(r, 3000), numbers(r, whole()+5000, 8), noise(r, 100), structured(r, 2000)}
	for _, level := range kinds {
		used := encoder(level)
		want := make([][]byte, len(srcs))
		for i, src := range srcs {
			want[i] = encoder(level).Encode(nil, src)
			used.Encode(nil, src)
		}
		used.base = 3<<30 - 8000 // overflows after the second input
		for i, src := range srcs {
			if !bytes.Equal(used.Encode(nil, src), want[i]) {
				t.Errorf("level %d, input %d: other bytes", level, i)
			}
		}
		if used.base > 1<<30 {
			t.Errorf("level %d: the numbers did not begin anew", level)
		}
	}
}

// TestParts checks that an input in several parts is one frame.
func TestParts(t *testing.T) {
	src := structured(rand.New(rand.NewPCG(17, 18)), whole()/3)
	for _, level := range kinds {
		e := encoder(level)
		e.partSize = whole()/10 + 7
		check(t, fmt.Sprintf("level %d", level), e, src)
	}
}

func TestAllocs(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	srcs := [][]byte{structured(r, whole()+10_000), numbers(r, 5000, 4), nil}
	dst := make([]byte, 0, 300_000)
	for _, level := range kinds {
		e := encoder(level)
		for _, src := range srcs {
			e.Encode(dst, src)
		}
		// Sporadic allocations by other goroutines average to less than 1.
		n := testing.AllocsPerRun(3, func() {
			for _, src := range srcs {
				e.Encode(dst, src)
			}
		})
		if n != 0 {
			t.Errorf("level %d: %v allocations", level, n)
		}
	}
}

// TestTables checks that tables are small for short inputs.
func TestTables(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{1 << 12, 1 << 16, 1 << 18} {
		if n > 10*whole() {
			continue
		}
		src := numbers(r, n, 4)
		for _, level := range []int{1, 3, 9, 22} {
			e := encoder(level)
			e.Encode(nil, src)
			if got := 4*(cap(e.first)+cap(e.second)+cap(e.third)) + cap(e.tags) + cap(e.heads); got > 24*n {
				t.Errorf("level %d: tables of %d bytes for an input of %d", level, got, n)
			}
		}
	}
}

func TestXXH64(t *testing.T) {
	b := make([]byte, 100)
	for i := range b {
		b[i] = byte(i)
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithZeroFrames(true), zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= len(b); n++ {
		frame := e.EncodeAll(b[:n], nil)
		want := frame[len(frame)-4:]
		if got := encoder(2).sum(nil, b[:n]); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %x, not %x", n, got, want)
		}
	}
}

// TestSparse checks that the optimal levels produce shorter output than the lazy ones for long runs
// with an occasional different byte.
func TestSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	src := make([]byte, 2*maxBlock+1)
	for range len(src) / 100 {
		src[r.IntN(len(src))] = 1
	}
	lazy := len(check(t, "lazy", encoder(9), src))
	for _, level := range []int{13, 17, 19, 22} {
		if n := len(check(t, "planned", encoder(level), src)); n > lazy*9/10 {
			t.Errorf("level %d: %d bytes, %d at 9", level, n, lazy)
		}
	}
}

func FuzzEncode(f *testing.F) {
	r := rand.New(rand.NewPCG(23, 24))
	for _, level := range kinds {
		f.Add(structured(r, 2000), int8(level))
		f.Add(numbers(r, 3000, 2), int8(level))
	}
	f.Add([]byte{}, int8(3))
	f.Add(make([]byte, 10), int8(22))
	encoders := map[int8]*Encoder{}
	f.Fuzz(func(t *testing.T, src []byte, level int8) {
		e := encoders[level]
		if e == nil {
			e = encoder(int(level))
			encoders[level] = e
		}
		check(t, fmt.Sprintf("level %d", level), e, src)
	})
}
