package lz4fast

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// check encodes src into room bytes. It compares the block with that of pierrec's port of
// LZ4_compress_fast, whose output its own tests compare with liblz4, and decodes it.
func check(t *testing.T, e *Encoder, src []byte, acceleration, room int) int {
	t.Helper()
	const guard = 32
	got := bytes.Repeat([]byte{0xa5}, room+guard)
	n := e.Encode(got[:room:room], src, acceleration)
	c := lz4.CompressorCCompat{Acceleration: acceleration}
	want := make([]byte, room)
	k, err := c.CompressBlock(src, want)
	if err != nil || n != k || !bytes.Equal(got[:n], want[:k]) {
		t.Fatalf("%d bytes in %d, acceleration %d: %d bytes, want %d, %v; or other bytes", len(src), room, acceleration, n, k, err)
	}
	if !bytes.Equal(got[room:], bytes.Repeat([]byte{0xa5}, guard)) {
		t.Fatalf("%d bytes in %d, acceleration %d: wrote beyond the end", len(src), room, acceleration)
	}
	if n == 0 {
		return 0
	}
	out := make([]byte, len(src))
	if k, err := lz4.UncompressBlock(got[:n], out); err != nil || !bytes.Equal(out[:k], src) {
		t.Fatalf("%d bytes, acceleration %d: decodes to %d bytes, %v; or other bytes", len(src), acceleration, k, err)
	}
	return n
}

// checkRooms is check for each interesting length of dst.
func checkRooms(t *testing.T, e *Encoder, src []byte, acceleration int) {
	t.Helper()
	n := check(t, e, src, acceleration, lz4.CompressBlockBound(len(src)))
	if n == 0 {
		t.Fatalf("%d bytes, acceleration %d: does not fit", len(src), acceleration)
	}
	check(t, e, src, acceleration, len(src))
	for room := max(0, n-12); room < n+12; room++ {
		check(t, e, src, acceleration, room)
	}
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// structured returns n bytes of noise, runs, bits and repeated earlier bytes. No part is longer
// than 1<<part bytes.
func structured(r *rand.Rand, n, part int) []byte {
	b := make([]byte, 0, n)
	for len(b) < n {
		k := min(1+r.IntN(1<<r.IntN(part+1)), n-len(b))
		switch r.IntN(4) {
		case 0:
			b = append(b, noise(r, k)...)
		case 1:
			b = append(b, bytes.Repeat([]byte{byte(r.IntN(3))}, k)...)
		case 2:
			for range k {
				b = append(b, byte(r.IntN(2)))
			}
		default:
			from := r.IntN(len(b) + 1)
			b = append(b, b[from:min(from+k, len(b))]...)
		}
	}
	return b
}

func TestShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var e Encoder
	for n := range 400 {
		checkRooms(t, &e, structured(r, n, 4), 1)
		checkRooms(t, &e, structured(r, n, 6), 1+r.IntN(10))
		checkRooms(t, &e, make([]byte, n), 1)
	}
}

// TestLengths encodes matches and literals of the lengths at which a length byte is added.
func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var e Encoder
	text := noise(r, 2000)
	lengths := []int{4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 43, 44, 45, 254, 255, 269, 270, 271, 272, 273, 274, 275, 524, 525, 527, 528, 529, 1038, 1039}
	for _, n := range lengths {
		for _, literals := range lengths {
			src := append(bytes.Clone(text), noise(r, literals)...)
			src = append(append(src, text[:n]...), noise(r, 13)...)
			checkRooms(t, &e, src, 1)
		}
	}
}

// TestSizes encodes inputs around the boundaries of the tables and of the offsets.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var e Encoder
	for _, n := range []int{1 << 16, 1<<16 + 10, 1<<16 + 11, 1<<16 + 12, 1 << 17, 1<<18 + 3} {
		for _, acceleration := range []int{-1, 0, 1, 2, 5, 10, 1000, 1<<16 + 1, 1<<16 + 2, math.MaxInt} {
			checkRooms(t, &e, structured(r, n, 12), acceleration)
			check(t, &e, make([]byte, n), acceleration, n)
		}
	}
	random := noise(r, 1<<16)
	for _, back := range []int{65534, 65535, 65536} {
		src := append(bytes.Clone(random[:back]), random[:2048]...)
		if n := check(t, &e, src, 1, len(src)); (n > 0) != (back <= 65535) {
			t.Errorf("%d bytes of %d with an offset of %d", n, len(src), back)
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	src := structured(rand.New(rand.NewPCG(7, 8)), 100_000, 10)
	dst := make([]byte, len(src))
	var e Encoder
	for _, n := range []int{1000, len(src)} {
		if a := testing.AllocsPerRun(5, func() { e.Encode(dst, src[:n], 1) }); a > 0 {
			t.Errorf("%d bytes: %v allocations", n, a)
		}
	}
}

// FuzzEncode uses an encoder for many blocks, as blosc does.
func FuzzEncode(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for i := range 9 {
		f.Add(structured(r, 400*i, i), uint16(i), i, uint16(10*i))
	}
	f.Add([]byte("abcdabcdabcdabcdabcdabcd"), uint16(1<<12), 5, uint16(20))
	var e Encoder
	f.Fuzz(func(t *testing.T, src []byte, again uint16, acceleration int, room uint16) {
		if len(src) > 0 { // mutations rarely reach the boundaries of tables
			src = bytes.Repeat(src, 1+int(again)%(1+200_000/len(src)))
		}
		n := check(t, &e, src, acceleration, lz4.CompressBlockBound(len(src)))
		check(t, &e, src, acceleration, len(src))
		check(t, &e, src, acceleration, min(int(room), n+16))
	})
}

func BenchmarkEncode(b *testing.B) {
	for _, part := range []int{0, 4, 8, 12} {
		src := structured(rand.New(rand.NewPCG(11, 12)), 1<<17, part)
		dst := make([]byte, len(src))
		b.Run(fmt.Sprintf("part=%d", 1<<part), func(b *testing.B) {
			var e Encoder
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				e.Encode(dst, src, 1)
			}
		})
	}
}
