package blosc

import (
	"bytes"
	"testing"
)

// TestBloscLZForms round-trips inputs at the limits of the encoder: runs, near and far distances,
// long and short matches. No match may be in the last bytes.
func TestBloscLZForms(t *testing.T) {
	noise := make([]byte, 90_000)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
	}
	var table lzTable
	for _, back := range []int{16, 255, 256, 257, lzNear - 1, lzNear, lzNear + 1, lzNear + 2, lzFar, lzFar + 1, lzFar + 2} {
		for _, n := range []int{4, 5, 6, 7, 8, 9, 10, 262, 263, 264, 518, 5000} {
			if n > back {
				continue
			}
			src := bytes.Clone(noise[:back])
			src = append(append(src, src[:n]...), noise[80_000:80_040]...)
			src = append(src, make([]byte, len(src)/16+200)...) // makes the input compressible
			for level := 1; level <= 9; level++ {
				out := make([]byte, len(src))
				k := bloscLZEncode(out, src, level, &table)
				got := make([]byte, len(src))
				if m, err := bloscLZ(got, out[:k]); k == 0 || err != nil || m != len(src) || !bytes.Equal(got, src) {
					t.Fatalf("a match of %d, %d back, at level %d: %d bytes, %v", n, back, level, k, err)
				}
				tail := 0 // bytes after the last match; the last control byte starts a literal run
				for i := len(src) - 1; i >= 0 && out[k-1-tail] == src[i] && tail < lzTail; i-- {
					tail++
				}
				if tail < lzTail {
					t.Fatalf("level %d: the last %d bytes are literals", level, tail)
				}
			}
		}
	}
	for n := range 40 {
		if k := bloscLZEncode(make([]byte, n), noise[:n], 9, &table); k != 0 {
			t.Errorf("%d bytes of noise became %d", n, k)
		}
	}
}

func FuzzBloscLZ(f *testing.F) {
	var table lzTable
	for _, s := range []string{"hello hello hello hello hello hello hello", string(make([]byte, 600)), "abcdefgh"} {
		out := make([]byte, len(s))
		f.Add(out[:bloscLZEncode(out, []byte(s), 9, &table)], []byte(s))
	}
	f.Fuzz(func(t *testing.T, stored, src []byte) {
		room := bytes.Repeat([]byte{0xa5}, 1000)
		if n, err := bloscLZ(room[:900:900], stored); err == nil && n > 900 {
			t.Fatalf("%d bytes", n)
		}
		if !bytes.Equal(room[900:], bytes.Repeat([]byte{0xa5}, 100)) {
			t.Fatal("bytes beyond the place were changed")
		}
		for _, level := range []int{1, 5, 9} {
			var table lzTable
			out := make([]byte, len(src))
			k := bloscLZEncode(out, src, level, &table)
			if k == 0 {
				continue
			}
			got := make([]byte, len(src))
			if n, err := bloscLZ(got, out[:k]); err != nil || n != len(src) || !bytes.Equal(got, src) {
				t.Fatalf("level %d: %v", level, err)
			}
		}
	})
}
